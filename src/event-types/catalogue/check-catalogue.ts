import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { isSameJson } from '../../lib/exact-json.ts'
import { isSchema } from '../../lib/schema-path.ts'
import { newObjectRule } from '../../lib/setting.ts'
import { checkInput } from '../../lib/validation.ts'
import {
  EVENT_TYPE_NAME,
  EVENT_TYPE_SETTINGS,
  payloadIssues,
  reservedIssues,
} from '../event-type-settings.ts'
import {
  type CatalogueType,
  COMPARED_FIELDS,
  type ComparedField,
  type GivenType,
  type Refusal,
} from './catalogue-type.ts'

const { description, searchKeys, group } = EVENT_TYPE_SETTINGS
const text = z.string().nullable()
const rule = newObjectRule({ name: EVENT_TYPE_NAME, description, searchKeys, group })
  .extend({
    archived: z.boolean('must be true or false').default(false),
    schema: text,
    example: text,
  })
  .strict()

/** What can be imported, and what is left out for a problem. */
interface Checked {
  readonly types: readonly CatalogueType[]
  readonly refused: readonly Refusal[]
}

/** Checks all but the schemas and the examples, which take longer. */
export function checkCatalogue(given: readonly GivenType[]): Checked {
  const refused: Refusal[] = []
  const seen = new Map<string, string>()
  const types = given.flatMap(({ place, others, ...type }) => {
    const { name } = type
    const { data, issues } = checkInput(rule, { ...others, ...type })
    const problems = [...issues, ...reservedIssues(name)].map(({ path: [field], detail }) => {
      const remedy = field === 'name' ? ` Give it another one: --name '${name}=…'.` : ''
      return `${place}: ${detail}${remedy}`
    })
    const other = seen.get(name)
    if (other !== undefined) problems.push(`${place}: the event type stands in ${other}, too.`)
    seen.set(name, place)
    refused.push(...problems.map((problem) => ({ name, problem })))
    return data && problems.length === 0 ? [{ ...data, retentionDays: null }] : []
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
      schema !== null && !isSchema(value)
        ? [{ path: ['schema'], detail: 'schema must be a JSON Schema in an object.' }]
        : await payloadIssues(value, parsed(example))
    for (const {
      path: [field],
      detail,
    } of issues) {
      const list = field === 'example' ? warnings : refused
      list.push({ name, problem: `${name}: ${detail}` })
    }
    const has = (field: string) => issues.some(({ path }) => path[0] === field)
    if (!has('schema')) usable.push(has('example') ? { ...type, example: null } : type)
  }
  return { types: usable, refused, warnings }
}

export function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

/** What an import does to one event type. */
export interface TypeChange {
  readonly name: string
  readonly change: 'added' | 'changed' | 'archived' | 'unarchived'
  /** The fields that differ. Empty for an added event type. */
  readonly fields: readonly ComparedField[]
  /** Null for an added event type. */
  readonly before: CatalogueType | null
  readonly after: CatalogueType
}

/** `archiveMissing`: whether event types that only the database has are archived. Otherwise they stay. */
export function compareCatalogue(
  database: readonly CatalogueType[],
  file: readonly CatalogueType[],
  archiveMissing: boolean,
): TypeChange[] {
  const existing = new Map(database.map((type) => [type.name, type]))
  const given = new Set(file.map(({ name }) => name))
  const missing = archiveMissing ? database.filter(({ name }) => !given.has(name)) : []
  return [...file, ...missing.map((type) => ({ ...type, archived: true }))]
    .map((type) => {
      const before = existing.get(type.name) ?? null
      return compareType(before, { ...type, retentionDays: before?.retentionDays ?? null })
    })
    .filter((change) => change !== null)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Null: nothing differs. */
export function compareType(before: CatalogueType | null, given: CatalogueType): TypeChange | null {
  const { name } = given
  if (before === null) return { name, change: 'added', fields: [], before, after: given }
  const fields = COMPARED_FIELDS.filter((field) => !isSame(field, before, given))
  if (fields.length === 0) return null
  // Another spelling of the same JSON, and another order of a set, stay as they are.
  const after = { ...before, ...Object.fromEntries(fields.map((field) => [field, given[field]])) }
  const archiving = given.archived ? 'archived' : 'unarchived'
  const change = fields.every((field) => field === 'archived') ? archiving : 'changed'
  return { name, change, fields, before, after }
}

function isSame(field: ComparedField, before: CatalogueType, after: CatalogueType): boolean {
  if (field === 'schema' || field === 'example') return isSameJson(before[field], after[field])
  if (field === 'searchKeys') {
    return isDeepStrictEqual(before.searchKeys.toSorted(), after.searchKeys.toSorted())
  }
  return before[field] === after[field]
}
