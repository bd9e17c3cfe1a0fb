import { isDeepStrictEqual } from 'node:util'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import { seededTypes } from '../migrate/seed.ts'
import { MASK } from '../webhooks/mask.ts'
import {
  type Contents,
  type EventTypeRecord,
  idOf,
  KINDS,
  type Kind,
  type SigningSecretRecord,
} from './contents.ts'

/** A field that the file and the database have for the same object, with different values. Secrets are masked. */
export interface Difference {
  readonly id: string
  readonly field: string
  readonly file: unknown
  readonly database: unknown
}

export interface Comparison {
  /** What only the file has. */
  readonly missing: Contents
  /** Event types of a fresh installation that nobody has changed: those of the file take their place. */
  readonly replaced: readonly EventTypeRecord[]
  readonly differences: readonly Difference[]
}

type AnyRecord = Contents[Kind][number]

/** Compares the records of a file with the database's records of the same ids. */
export function findDifferences(file: Contents, database: Contents, now = new Date()): Comparison {
  const replaced: EventTypeRecord[] = []
  const differences: Difference[] = []
  const missing = Object.fromEntries(
    KINDS.map((kind) => {
      const existing = new Map(database[kind].map((record) => [idOf(record), record]))
      const added = (file[kind] as readonly AnyRecord[]).filter((record) => {
        const found = existing.get(idOf(record))
        if (!found) return true
        const different = differencesOf(record, found, now)
        if (different.length > 0 && isUnchangedSeed(found)) replaced.push(record as EventTypeRecord)
        else differences.push(...different)
        return false
      })
      return [kind, added]
    }),
  ) as unknown as Contents
  return { missing, replaced, differences }
}

/** Times of changes differ between installations that have the same values. */
const NOT_COMPARED = ['createdAt', 'updatedAt']

function differencesOf(inFile: AnyRecord, inDatabase: AnyRecord, now: Date): Difference[] {
  const [file, database] = [inFile, inDatabase].map((record) => comparable(record, now)) as [
    Record<string, unknown>,
    Record<string, unknown>,
  ]
  return Object.keys(file)
    .filter((field) => !NOT_COMPARED.includes(field))
    .filter((field) => !isDeepStrictEqual(file[field] ?? null, database[field] ?? null))
    .map((field) => ({
      id: idOf(inFile),
      field,
      file: masked(field, file[field]),
      database: masked(field, database[field]),
    }))
}

/** The values of a record in a form in which equal settings are equal. */
function comparable(record: AnyRecord, now: Date): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...record }
  if ('eventSubscriptions' in record) {
    fields['eventSubscriptions'] = [...record.eventSubscriptions].sort()
    fields['headers'] = record.headers ?? {}
    fields['signingSecrets'] = validSecrets(record.signingSecrets, now)
  }
  if ('scopes' in record) {
    fields['scopes'] = [...record.scopes].sort()
    fields['expiresAt'] = timeOf(record.expiresAt)
    fields['revokedAt'] = record.revokedAt === null ? null : 'revoked'
  }
  if ('archivedAt' in record) fields['archivedAt'] = record.archivedAt === null ? null : 'archived'
  return fields
}

function validSecrets(secrets: readonly SigningSecretRecord[], now: Date) {
  return secrets
    .filter(({ expiresAt }) => expiresAt === null || (parseRfc3339(expiresAt) ?? now) > now)
    .map(({ key, expiresAt }) => ({ key, expiresAt: timeOf(expiresAt) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** The same time can be written in several ways. */
function timeOf(text: string | null): string | null {
  return text && (parseRfc3339(text)?.toISOString() ?? null)
}

function masked(field: string, value: unknown): unknown {
  if (field === 'signingSecrets' || field === 'tokenHash') return MASK
  if (field !== 'headers') return value ?? null
  return Object.fromEntries(Object.keys(Object(value)).map((name) => [name, MASK]))
}

function isUnchangedSeed(record: AnyRecord): boolean {
  if (!('searchKeys' in record) || record.archivedAt !== null || record.group !== null) return false
  if (record.retentionDays !== null) return false
  const { name, description, schema, example, searchKeys } = record
  return seededTypes().some((seed) =>
    isDeepStrictEqual({ name, description, schema, example, searchKeys }, { ...seed }),
  )
}
