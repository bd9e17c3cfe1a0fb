import type { Db } from '../../db/client.ts'
import {
  type ExactJson,
  type ExactObject,
  isExactObject,
  printExactJson,
} from '../../lib/exact-json.ts'
import { OPERATIONAL_PREFIX } from '../event-type.ts'

/** An event type as files of the catalogue have it. */
export interface CatalogueType {
  readonly name: string
  readonly description: string
  readonly group: string | null
  /** In their normal form. */
  readonly searchKeys: readonly string[]
  readonly archived: boolean
  /** Not in files. */
  readonly retentionDays: number | null
  /** The text of the JSON Schema, as its author wrote it. Null: any JSON is valid. */
  readonly schema: string | null
  /** The text of an example of the data, as its author wrote it. Null: none. */
  readonly example: string | null
}

export const COMPARED_FIELDS = [
  'description',
  'group',
  'searchKeys',
  'archived',
  'schema',
  'example',
  'retentionDays',
] as const satisfies readonly (keyof CatalogueType)[]

export type ComparedField = (typeof COMPARED_FIELDS)[number]

/** What an import leaves out: an event type, or its example. */
export interface Refusal {
  readonly name: string
  /** The reason, the place and the remedy. */
  readonly problem: string
}

/** The event types of a file, before the rules of their fields are checked, and those that cannot be read. */
export interface GivenCatalogue {
  readonly types: readonly GivenType[]
  readonly refused: readonly Refusal[]
}

/** An event type as a file has it, before the rules of its fields are checked. */
export interface GivenType extends Pick<CatalogueType, 'schema' | 'example'> {
  /** Where the event type stands, for errors. */
  readonly place: string
  readonly name: string
  /** A missing one has its default. */
  readonly others: Readonly<Record<string, ExactJson | undefined>>
}

const MAX_LISTED = 20

/** The problems of a file, or of one event type of a file. */
export class UnusableCatalogue extends Error {
  constructor(problems: readonly string[]) {
    const listed = problems.slice(0, MAX_LISTED).map((problem) => `  ${problem}`)
    const more = problems.length - listed.length
    super(
      [
        'The event types cannot be imported. Nothing was changed.',
        ...listed,
        ...(more > 0 ? [`  And ${more} more.`] : []),
      ].join('\n'),
    )
  }
}

/** JSON with all digits. Null for no value. */
export function textOrNull(value: ExactJson | undefined): string | null {
  return value === undefined || value === null ? null : printExactJson(value)
}

/** The members of an object. None of anything else. */
export function membersOf(value: ExactJson | undefined): ExactObject {
  return isExactObject(value) ? value : {}
}

/** The event types of the catalogue by code points of their names, archived ones included, without Posthorn's own. */
export async function readCatalogue(db: Db): Promise<CatalogueType[]> {
  return await db.$queryRawUnsafe<CatalogueType[]>(
    `${SELECT_TYPES} where not starts_with(name, $1) order by name collate "C"`,
    OPERATIONAL_PREFIX,
  )
}

/** SQL, for a condition. */
export const SELECT_TYPES = `
  select name, description, group_name as "group", search_keys as "searchKeys",
    archived_at is not null as archived, retention_days as "retentionDays", schema::text, example::text
  from posthorn.event_types`

/** The file of an export: JSON that `parseCatalogueFile` reads. Schemas and examples have the texts of their authors. */
export function printCatalogue(types: readonly CatalogueType[]): string {
  const items = types.map((type) => `    ${printType(type)}`)
  return `{\n  "eventTypes": [${items.length > 0 ? `\n${items.join(',\n')}\n  ` : ''}]\n}\n`
}

function printType({
  name,
  description,
  group,
  searchKeys,
  archived,
  schema,
  example,
}: CatalogueType): string {
  const members = [
    ...Object.entries({ name, description, group, searchKeys, archived }).map(([field, value]) => [
      field,
      JSON.stringify(value),
    ]),
    ['schema', schema ?? 'null'],
    ['example', example ?? 'null'],
  ]
  const lines = members.map(([field, value]) => `      "${field}": ${value}`)
  return `{\n${lines.join(',\n')}\n    }`
}
