import { z } from 'zod'
import { checkInput } from '../../lib/validation.ts'
import { eventTypeFields, payloadIssues } from '../edit-event-type.ts'
import { OPERATIONAL_PREFIX } from '../event-type.ts'
import type { CatalogueType, GivenType, Refusal } from './catalogue-type.ts'

const { name, description, searchKeys, group } = eventTypeFields
const fields = z.object({
  name,
  description,
  searchKeys,
  group,
  archived: z.boolean('must be true or false'),
})

/** What can be imported, and what is left out for a problem. */
interface Checked {
  readonly types: readonly CatalogueType[]
  readonly refused: readonly Refusal[]
}

/** Checks all but the schemas and the examples, which take longer. */
export function checkCatalogue(given: readonly GivenType[]): Checked {
  const refused: Refusal[] = []
  const seen = new Map<string, string>()
  const types = given.flatMap(({ place, schema, example, ...rest }) => {
    const { name } = rest
    const { data, issues } = checkInput(fields, rest)
    const problems = issues.map(({ path: [field], detail }) => {
      const remedy = field === 'name' ? ` Give it another one: --name '${name}=…'.` : ''
      return `${place}: ${detail}${remedy}`
    })
    const other = seen.get(name)
    if (other !== undefined) problems.push(`${place}: the event type stands in ${other}, too.`)
    seen.set(name, place)
    if (name.startsWith(OPERATIONAL_PREFIX)) {
      problems.push(
        `${place}: only Posthorn itself defines event types that begin with ${OPERATIONAL_PREFIX}. Remove it.`,
      )
    }
    refused.push(...problems.map((problem) => ({ name, problem })))
    return data && problems.length === 0 ? [{ ...data, schema, example }] : []
  })
  return { types, refused }
}

/** Checks the schemas and examples of event types. An example with a problem is left out of its event type. */
export async function checkPayloads(
  types: readonly CatalogueType[],
): Promise<Checked & { readonly warnings: readonly Refusal[] }> {
  const [usable, refused, warnings]: [CatalogueType[], Refusal[], Refusal[]] = [[], [], []]
  for (const type of types) {
    const { name, schema, example } = type
    const value = parsed(schema)
    const issues =
      schema !== null && !isObject(value)
        ? [{ path: ['schema'], detail: 'schema must be a JSON Schema in an object.' }]
        : await payloadIssues(value, parsed(example))
    const [ofExample, ofSchema] = [true, false].map((isOfExample) =>
      issues
        .filter(({ path: [field] }) => (field === 'example') === isOfExample)
        .map(({ detail }) => ({ name, problem: `${name}: ${detail}` })),
    ) as [Refusal[], Refusal[]]
    refused.push(...ofSchema)
    warnings.push(...ofExample)
    if (ofSchema.length === 0) {
      usable.push(ofExample.length > 0 ? { ...type, example: null } : type)
    }
  }
  return { types: usable, refused, warnings }
}

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}
