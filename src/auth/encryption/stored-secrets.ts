import type { Sql } from '../../db/client.ts'
import type { Keyring } from './keyring.ts'

interface EncryptedColumn {
  readonly name: 'signing_secrets' | 'webhook_headers' | 'idempotency_responses' | 'task_values'
  readonly table: string
  readonly column: string
  /** SQL: what identifies a row, whose text is the associated data of the ciphertext. Default: the uuid `id`. */
  readonly key?: string
}

const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  { name: 'signing_secrets', table: 'signing_secrets', column: 'key_ciphertext' },
  { name: 'webhook_headers', table: 'webhooks', column: 'headers_ciphertext' },
  {
    name: 'idempotency_responses',
    table: 'idempotency_keys',
    column: 'response_ciphertext',
    // Equals the `JSON.stringify` of `src/http/run-once.ts`.
    key: `'["idempotency",' || to_json(organization_id::text) || ',' || to_json(operation) || ',' || to_json(key) || ']'`,
  },
  { name: 'task_values', table: 'bulk_tasks', column: 'value_ciphertext' },
]

export interface Reencrypted {
  readonly column: EncryptedColumn['name']
  readonly reencrypted: number
  /** The keys of the rows that no encryption key decrypts. These rows stay unchanged. */
  readonly unreadable: readonly string[]
}

const BATCH_SIZE = 500

/**
 * Reencrypts with the first key everything that another key encrypted. Safe while the service runs, whose processes have the
 * same first key: a row that changes concurrently keeps its change. Safe to interrupt and to repeat.
 */
export async function reencryptStoredSecrets(sql: Sql, keyring: Keyring): Promise<Reencrypted[]> {
  const results: Reencrypted[] = []
  for (const column of ENCRYPTED_COLUMNS) {
    results.push(await reencryptColumn(sql, keyring, column))
  }
  return results
}

interface Row {
  readonly key: string
  readonly ciphertext: Buffer
}

async function reencryptColumn(
  sql: Sql,
  keyring: Keyring,
  { name, table, column, key = 'id' }: EncryptedColumn,
): Promise<Reencrypted> {
  const type = key === 'id' ? 'uuid' : 'text'
  const unreadable: string[] = []
  let reencrypted = 0
  for (let after: string | null = null; ; ) {
    const { rows }: { rows: Row[] } = await sql.query<Row>(
      `select (${key})::text as key, ${column} as ciphertext from posthorn.${table}
       where ($1::${type} is null or (${key}) > $1) and substring(${column} for 5) <> $2
       order by ${key} limit $3`,
      [after, keyring.prefixes[0], BATCH_SIZE],
    )
    const last = rows.at(-1)
    if (!last) return { column: name, reencrypted, unreadable }
    after = last.key
    const changes = rows.flatMap((row) => {
      const changed = reencrypt(keyring, row)
      if (changed === null) unreadable.push(row.key)
      return changed ? [{ ...row, changed }] : []
    })
    // Only the ciphertext changes, not the secret, so caches need no invalidation.
    const { rowCount } = await sql.query(
      `update posthorn.${table} set ${column} = change.new_ciphertext
       from unnest($1::${type}[], $2::bytea[], $3::bytea[]) as change (row_key, old_ciphertext, new_ciphertext)
       where (${key}) = change.row_key and ${column} = change.old_ciphertext`,
      [
        changes.map((row) => row.key),
        changes.map((row) => row.ciphertext),
        changes.map((row) => row.changed),
      ],
    )
    reencrypted += rowCount ?? 0
  }
}

/** Returns `null` if no key of the ring decrypts the row. */
function reencrypt(keyring: Keyring, { ciphertext, key }: Row): Buffer | null {
  try {
    return Buffer.from(keyring.encrypt(keyring.decrypt(ciphertext, key), key))
  } catch {
    return null
  }
}

/**
 * Throws if the ring lacks a key that encrypted stored secrets, because deliveries could not be signed. A single such
 * secret among others counts as a damaged row, which must not stop all deliveries; its own deliveries fail with an error.
 */
export async function requireListedKeys(sql: Sql, keyring: Keyring): Promise<void> {
  const { rows } = await sql.query<{ missing: number; total: number }>(
    `select coalesce(sum(count) filter (
         where prefix <> all ($1::bytea[]) and get_byte(prefix, 0) = 1 and (count > 1 or count = total)
       ), 0)::int as missing, coalesce(max(total), 0)::int as total
     from (
       select prefix, count(*), sum(count(*)) over () as total from (
         select substring(key_ciphertext for 5) as prefix from posthorn.signing_secrets
         union all
         select substring(headers_ciphertext for 5) from posthorn.webhooks
       ) as stored
       where length(prefix) = 5 group by prefix
     ) as counted`,
    [keyring.prefixes],
  )
  const { missing = 0, total = 0 } = rows[0] ?? {}
  if (missing === 0) return
  throw new Error(
    `POSTHORN_ENCRYPTION_KEYS lacks the key that ${missing} of ${total} stored secrets were encrypted with. Add it to the end of the list. To remove it later, run \`posthorn key rotate-encryption\` first.`,
  )
}
