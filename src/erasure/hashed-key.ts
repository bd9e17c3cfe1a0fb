import { createHash, randomBytes } from 'node:crypto'
import type { Sql } from '../db/client.ts'
import type { SearchKey } from '../event-types/find-search-key.ts'
import type { HashedKey } from './selection.ts'

const SALT_BYTES = 16

/** Forgets the value of a search key, and still recognizes the value. */
export function hashKey({ path, equals }: SearchKey): HashedKey {
  const salt = randomBytes(SALT_BYTES).toString('hex')
  return { path, salt, hash: hashOf(salt, equals) }
}

export function isValueOf({ salt, hash }: HashedKey, value: string): boolean {
  return hashOf(salt, value) === hash
}

function hashOf(salt: string, value: string): string {
  return createHash('sha256').update(salt).update(value).digest('hex')
}

const PAGE_SIZE = 5_000

/**
 * The value of a hashed key, if an event of the organization has it: reads all values at the path, in pages. The primary
 * key serves each page.
 */
export async function findValue(
  sql: Sql,
  organizationUuid: string,
  key: HashedKey,
): Promise<string | null> {
  let last = ''
  for (;;) {
    const { rows } = await sql.query<{ value: string }>(
      `select distinct value from posthorn.event_keys
       where organization_id = $1 and path = $2 and value > $3 order by value limit ${PAGE_SIZE}`,
      [organizationUuid, key.path, last],
    )
    const found = rows.find(({ value }) => isValueOf(key, value))
    if (found) return found.value
    if (rows.length < PAGE_SIZE) return null
    last = rows.at(-1)?.value ?? last
  }
}
