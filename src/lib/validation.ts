import type { z } from 'zod'
import { type FieldIssue, invalid } from './errors.ts'
import type { IssueCode } from './issue-codes.ts'

/** Checks input against a schema. Returns the parsed data, or an issue for every field that breaks a rule. */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { data: z.output<Schema> | null; issues: FieldIssue[] } {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return { data: result.data, issues: [] }
  return { data: null, issues: result.error.issues.map(fieldIssue) }
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

function fieldIssue(issue: z.core.$ZodIssue): FieldIssue {
  const path = issue.path.filter((part) => typeof part !== 'symbol')
  // Custom rules give their code in `params`; for other rules zod's issue code is used.
  const customCode = issue.code === 'custom' ? issue.params?.['code'] : undefined
  if (customCode) {
    return { path, code: customCode as IssueCode, detail: sentence(path, issue.message) }
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return { path, code: 'required', detail: sentence(path, 'is required.') }
  }
  return { path, code: issue.code, detail: sentence(path, issue.message) }
}

/** Joins the field's name and a message that begins with a verb: `url is required.` */
function sentence(path: readonly (string | number)[], message: string): string {
  const ended = /[.!?]$/.test(message) ? message : `${message}.`
  return path.length > 0 ? `${fieldName(path)} ${lowerFirst(ended)}` : ended
}

/** `['headers', 'X-Key']` -> `headers.X-Key`; `['events', 2, 'type']` -> `events[2].type` */
export function fieldName(path: readonly (string | number)[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i > 0 ? `.${part}` : part))
    .join('')
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
