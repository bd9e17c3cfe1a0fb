import type { Sql } from '../db/client.ts'
import type { Keyring } from './keyring.ts'

/** A column of ciphertexts: how its rows are told apart, and what their associated data is. */
interface Place {
  readonly name: 'signing_secrets' | 'webhook_headers' | 'idempotency_responses'
  readonly table: string
  readonly column: string
  /** An expression of SQL that is unique in the table, in the order of an index where there is one. */
  readonly key: string
  readonly keyType: 'uuid' | 'text'
  /** The associated data of a row, as an expression of SQL. */
  readonly associated: string
}

/** As `JSON.stringify` writes it in `src/idempotency/run-once.ts`. */
const IDEMPOTENT_CALL = `'["idempotency",' || to_json(organization_id::text) || ',' || to_json(operation) || ','
  || to_json(key) || ']'`

/** Everything that rests encrypted in the database. */
const PLACES: readonly Place[] = [
  {
    name: 'signing_secrets',
    table: 'posthorn.signing_secrets',
    column: 'key_ciphertext',
    key: 'id',
    keyType: 'uuid',
    associated: 'id::text',
  },
  {
    name: 'webhook_headers',
    table: 'posthorn.webhooks',
    column: 'headers_ciphertext',
    key: 'id',
    keyType: 'uuid',
    associated: 'id::text',
  },
  {
    name: 'idempotency_responses',
    table: 'posthorn.idempotency_keys',
    column: 'response_ciphertext',
    key: IDEMPOTENT_CALL,
    keyType: 'text',
    associated: IDEMPOTENT_CALL,
  },
]

export interface Reencrypted {
  readonly place: Place['name']
  readonly reencrypted: number
  /** The rows that no key of the ring decrypts; they stay as they are. */
  readonly unreadable: readonly string[]
}

const BATCH_SIZE = 500

/**
 * Encrypts everything anew that the first key did not encrypt. Safe beside a running service: a row that changes
 * meanwhile keeps its change and is looked at again. Safe to break off and to repeat.
 */
export async function reencryptStoredSecrets(sql: Sql, keyring: Keyring): Promise<Reencrypted[]> {
  const done: Reencrypted[] = []
  for (const place of PLACES) {
    let reencrypted = 0
    for (;;) {
      const pass = await passThrough(sql, keyring, place)
      reencrypted += pass.replaced
      if (pass.overtaken > 0) continue
      done.push({ place: place.name, reencrypted, unreadable: pass.unreadable })
      break
    }
  }
  return done
}

interface Row {
  readonly key: string
  readonly associated: string
  readonly ciphertext: Buffer
}

async function passThrough(sql: Sql, keyring: Keyring, place: Place) {
  const unreadable: string[] = []
  let [replaced, overtaken] = [0, 0]
  for (let after: string | null = null; ; ) {
    const rows: Row[] = await readOld(sql, keyring, place, after)
    const last = rows.at(-1)
    if (!last) return { replaced, overtaken, unreadable }
    after = last.key
    const readable = rows.flatMap((row) => {
      const again = reencrypted(keyring, row)
      if (again) return [{ ...row, again }]
      unreadable.push(row.key)
      return []
    })
    const count = await replace(sql, place, readable)
    replaced += count
    overtaken += readable.length - count
  }
}

async function readOld(
  sql: Sql,
  keyring: Keyring,
  { table, column, key, keyType, associated }: Place,
  after: string | null,
): Promise<Row[]> {
  const { rows } = await sql.query<Row>(
    `select (${key})::text as key, (${associated}) as associated, ${column} as ciphertext from ${table}
     where ($1::${keyType} is null or (${key}) > $1) and substring(${column} for 5) <> $2
     order by ${key} limit $3`,
    [after, keyring.prefixes[0], BATCH_SIZE],
  )
  return rows
}

function reencrypted(keyring: Keyring, { ciphertext, associated }: Row): Uint8Array | null {
  try {
    return keyring.encrypt(keyring.decrypt(ciphertext, associated), associated)
  } catch {
    return null
  }
}

/** Where a row still holds what was read. Nothing else of it changes, so no cache need know. */
async function replace(
  sql: Sql,
  { table, column, key, keyType }: Place,
  rows: readonly (Row & { readonly again: Uint8Array })[],
): Promise<number> {
  if (rows.length === 0) return 0
  const { rowCount } = await sql.query(
    `update ${table} set ${column} = new.again
     from unnest($1::${keyType}[], $2::bytea[], $3::bytea[]) as new (wanted, old, again)
     where (${key}) = new.wanted and ${column} = new.old`,
    [
      rows.map((row) => row.key),
      rows.map((row) => row.ciphertext),
      rows.map((row) => Buffer.from(row.again)),
    ],
  )
  return rowCount ?? 0
}

/** How many stored secrets each key encrypted that the ring lacks. */
async function countUnlisted(sql: Sql, keyring: Keyring) {
  const { rows } = await sql.query<{ count: number; listed: boolean; is_ours: boolean }>(
    `select count(*)::int as count, prefix = any ($1::bytea[]) as listed, get_byte(prefix, 0) = 1 as is_ours
     from (
       select substring(key_ciphertext for 5) as prefix from posthorn.signing_secrets
       union all
       select substring(headers_ciphertext for 5) from posthorn.webhooks where headers_ciphertext is not null
     ) as stored
     where length(prefix) = 5
     group by prefix`,
    [keyring.prefixes],
  )
  return rows
}

/**
 * Throws when stored secrets were encrypted with a key that is not listed: nothing could be signed with them. A single
 * one among others is taken for a damaged row, which must not keep the others from being sent; its deliveries say so.
 */
export async function requireListedKeys(sql: Sql, keyring: Keyring): Promise<void> {
  const counts = await countUnlisted(sql, keyring)
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const missing = counts
    .filter(({ count, listed, is_ours }) => !listed && is_ours && (count > 1 || count === total))
    .reduce((sum, { count }) => sum + count, 0)
  if (missing === 0) return
  throw new Error(
    `POSTHORN_ENCRYPTION_KEYS lacks the key that ${missing} of ${total} stored secrets were encrypted with. Add it to the end of the list. To do without it from then on, run \`posthorn key rotate-encryption\`.`,
  )
}
