import { isDeepStrictEqual } from 'node:util'
import { isSameJson } from '../../lib/exact-json.ts'
import { CATALOGUE_FIELDS, type CatalogueField, type CatalogueType } from './catalogue-type.ts'

/** What an import does to one event type. */
export interface TypeChange {
  readonly name: string
  readonly change: 'added' | 'changed' | 'archived' | 'unarchived'
  /** The fields that differ. Empty for an added event type. */
  readonly fields: readonly CatalogueField[]
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
    .map((type) => compareType(existing.get(type.name) ?? null, type))
    .filter((change) => change !== null)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function compareType(before: CatalogueType | null, given: CatalogueType): TypeChange | null {
  const { name } = given
  if (before === null) return { name, change: 'added', fields: [], before, after: given }
  const fields = CATALOGUE_FIELDS.filter((field) => !isSame(field, before, given))
  if (fields.length === 0) return null
  // Another spelling of the same JSON, and another order of a set, stay as they are.
  const after = { ...before, ...Object.fromEntries(fields.map((field) => [field, given[field]])) }
  const archiving = given.archived ? 'archived' : 'unarchived'
  const change = fields.every((field) => field === 'archived') ? archiving : 'changed'
  return { name, change, fields, before, after }
}

function isSame(field: CatalogueField, before: CatalogueType, after: CatalogueType): boolean {
  if (field === 'schema' || field === 'example') return isSameJson(before[field], after[field])
  if (field === 'searchKeys') {
    return isDeepStrictEqual(before.searchKeys.toSorted(), after.searchKeys.toSorted())
  }
  return before[field] === after[field]
}
