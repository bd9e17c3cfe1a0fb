import { z } from 'zod'
import { fewHints } from './did-you-mean.ts'
import { type FieldIssue, fieldIssue, invalid } from './errors.ts'
import type { IssueCode } from './issue-codes.ts'

/** Checks input against a schema. Returns the parsed data, or an issue for every field that breaks a rule. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { data: z.output<Schema> | null; issues: FieldIssue[] } {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return { data: result.data, issues: [] }
  return {
    data: null,
    issues: result.error.issues.flatMap((issue) => toFieldIssues(issue, schema)),
  }
}

/** Parses input against a schema. Throws one `invalid` error that lists every field that breaks a rule. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const { data, issues } = checkInput(schema, input)
  if (data === null || issues.length > 0) throw invalid(issues)
  return data
}

function toFieldIssues(issue: z.core.$ZodIssue, schema: z.ZodType): FieldIssue[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    const known =
      schema instanceof z.ZodObject && path.length === 0 ? Object.keys(schema.shape) : []
    const hint = fewHints(known, known.length > 0 ? ` The fields are ${known.join(', ')}.` : '')
    return issue.keys.map((key) =>
      fieldIssue([...path, key], 'unknown_field', `is unknown.${hint(key)}`),
    )
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return [fieldIssue(path, 'required', 'is required.')]
  }
  // Custom rules give their code in `params`; for other rules zod's issue code is used.
  const customCode = issue.code === 'custom' ? issue.params?.['code'] : undefined
  const code = (customCode ?? issue.code) as IssueCode
  const sentence = /[.!?]$/.test(issue.message) ? issue.message : `${issue.message}.`
  return [fieldIssue(path, code, path.length > 0 ? lowerFirst(sentence) : sentence)]
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** The fields that have a value. A missing field of a change stays as it is. */
export function omitUndefined<T extends object>(
  fields: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as { [K in keyof T]: Exclude<T[K], undefined> }
}
