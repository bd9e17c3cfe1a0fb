import { z } from 'zod'
import { checkInput } from '../../lib/validation.ts'
import { eventTypeFields, payloadIssues } from '../edit-event-type.ts'
import { OPERATIONAL_PREFIX } from '../event-type.ts'
import { unusable } from './catalogue-error.ts'
import type { CatalogueType, GivenType } from './catalogue-type.ts'

const { name, description, searchKeys, group } = eventTypeFields
const fields = z.object({
  name,
  description,
  searchKeys,
  group,
  archived: z.boolean('must be true or false'),
})

/** Checks all but the schemas and the examples, which take longer. Throws one error with every problem. */
export function checkCatalogue(given: readonly GivenType[]): CatalogueType[] {
  const problems: string[] = []
  const seen = new Map<string, string>()
  const types = given.flatMap(({ place, schema, example, ...rest }) => {
    const { data, issues } = checkInput(fields, rest)
    problems.push(...issues.map(({ detail }) => `${place}: ${detail}`))
    const other = seen.get(rest.name)
    if (other !== undefined) problems.push(`${place}: the event type stands in ${other}, too.`)
    seen.set(rest.name, place)
    if (rest.name.startsWith(OPERATIONAL_PREFIX)) {
      problems.push(
        `${place}: only Posthorn itself defines event types that begin with ${OPERATIONAL_PREFIX}. Remove it.`,
      )
    }
    return data ? [{ ...data, schema, example }] : []
  })
  if (problems.length > 0) throw unusable(problems)
  return types
}

/** Checks the schemas and examples of event types. Throws one error with every problem. */
export async function checkPayloads(types: readonly CatalogueType[]): Promise<void> {
  const problems: string[] = []
  for (const { name, schema, example } of types) {
    const value = parsed(schema)
    const issues = await payloadIssues(value, parsed(example))
    problems.push(...issues.map(({ detail }) => `${name}: ${detail}`))
    if (schema !== null && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      problems.push(`${name}: schema must be a JSON Schema in an object.`)
    }
  }
  if (problems.length > 0) throw unusable(problems)
}

export function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}
