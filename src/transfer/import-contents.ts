import type { Database, Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { type Contents, idOf, KINDS, type Kind } from './contents.ts'
import { type Comparison, type Difference, findDifferences } from './find-differences.ts'
import { readContents } from './read-contents.ts'
import { writeContents } from './write-contents.ts'

export interface ImportOptions {
  /** The maximum number of webhooks of an organization. Default: no limit. */
  readonly maxWebhooks?: number | undefined
  /** Whether to import every webhook disabled. Default: as it is in the file. */
  readonly disabled?: boolean | undefined
  /** Whether to only compare. Default: false. */
  readonly checkOnly?: boolean | undefined
}

export type Counts = Readonly<Record<Kind, number>>

export interface ImportResult {
  readonly created: Counts
  /** Event types of a fresh installation that the file's took the place of. */
  readonly replacedEventTypes: number
  readonly unchanged: Counts
  /** If there are any, nothing was written. */
  readonly differences: readonly Difference[]
}

/**
 * Creates what the database does not have of the contents, which `checkContents` has checked, with the same ids. All or
 * nothing: if the database has an object with other values, nothing is written.
 */
export async function importContents(
  pool: Database['pool'],
  keyring: Keyring,
  contents: Contents,
  { maxWebhooks, disabled = false, checkOnly = false }: ImportOptions = {},
): Promise<ImportResult> {
  const file = disabled ? withWebhooksDisabled(contents) : contents
  return await inTransaction(pool, async (sql) => {
    // Two imports of one file would otherwise insert the same rows.
    await sql.query(`select pg_advisory_xact_lock(hashtextextended('posthorn.import', 0))`)
    const comparison = findDifferences(file, await readContents(sql, keyring, file))
    const { missing } = comparison
    const differences = [
      ...comparison.differences,
      ...(await findUsedIds(sql, missing)),
      ...(await findUsedUids(sql, missing)),
    ]
    if (differences.length === 0) {
      if (maxWebhooks !== undefined) await requireRoomForAll(sql, missing, maxWebhooks)
      if (!checkOnly) await writeContents(sql, keyring, comparison)
    }
    return { ...countChanges(file, comparison, differences), differences }
  })
}

function countChanges(
  file: Contents,
  { missing, replaced }: Comparison,
  differences: readonly Difference[],
): Omit<ImportResult, 'differences'> {
  const different = new Set(differences.map(({ id }) => id))
  const replacedNames = new Set(replaced.map(({ name }) => name))
  const added = new Set(KINDS.flatMap((kind) => missing[kind].map(idOf)))
  const count = (matches: (id: string) => boolean) =>
    mapKinds((kind) => file[kind].map(idOf).filter(matches).length)
  return {
    created: count((id) => added.has(id) && !different.has(id)),
    replacedEventTypes: replaced.length,
    unchanged: count((id) => !added.has(id) && !different.has(id) && !replacedNames.has(id)),
  }
}

export function countsOf(contents: Contents): Counts {
  return mapKinds((kind) => contents[kind].length)
}

function mapKinds(count: (kind: Kind) => number): Counts {
  return Object.fromEntries(KINDS.map((kind) => [kind, count(kind)])) as unknown as Counts
}

function withWebhooksDisabled(contents: Contents): Contents {
  return {
    ...contents,
    webhooks: contents.webhooks.map((webhook) => ({ ...webhook, enabled: false })),
  }
}

/** Rows that keep an id or a token of the file without being the same object. */
async function findUsedIds(sql: Sql, { webhooks, apiKeys }: Contents): Promise<Difference[]> {
  const deleted = await sql.query<{ id: string }>(
    `select posthorn.type_id('wh', id) as id from posthorn.webhooks where id = any ($1) and deleted_at is not null`,
    [webhooks.map(({ id }) => parseId('webhook', id))],
  )
  const tokens = await sql.query<{ hash: string; id: string }>(
    `select encode(token_hash, 'hex') as hash, posthorn.type_id('key', id) as id
     from posthorn.api_keys where token_hash = any ($1::bytea[])`,
    [apiKeys.map(({ tokenHash }) => Buffer.from(tokenHash, 'hex'))],
  )
  const ownerOf = new Map(tokens.rows.map(({ hash, id }) => [hash, id]))
  return [
    ...deleted.rows.map(({ id }) => ({ id, field: 'deleted', file: false, database: true })),
    ...apiKeys.flatMap(({ id, tokenHash }) => {
      const owner = ownerOf.get(tokenHash)
      return owner === undefined
        ? []
        : [{ id, field: 'id of the token', file: id, database: owner }]
    }),
  ]
}

/** Uids of the file that other objects have. */
async function findUsedUids(sql: Sql, contents: Contents): Promise<Difference[]> {
  const named = [...contents.organizations, ...contents.webhooks].filter(({ uid }) => uid !== null)
  const { rows } = await sql.query<{ id: string; owner: string }>(
    `select g.id, posthorn.type_id('org', o.id) as owner
     from unnest($1::text[], $2::text[], $3::uuid[]) as g (id, uid, organization_id)
     join posthorn.organizations as o on o.uid = g.uid where g.organization_id is null
     union all
     select g.id, posthorn.type_id('wh', w.id)
     from unnest($1::text[], $2::text[], $3::uuid[]) as g (id, uid, organization_id)
     join posthorn.webhooks as w
       on w.organization_id = g.organization_id and w.uid = g.uid and w.deleted_at is null`,
    [
      named.map(({ id }) => id),
      named.map(({ uid }) => uid),
      named.map((one) =>
        'organizationId' in one ? parseId('organization', one.organizationId) : null,
      ),
    ],
  )
  return rows.map(({ id, owner }) => ({ id, field: 'id of the uid', file: id, database: owner }))
}

async function requireRoomForAll(
  sql: Sql,
  { webhooks }: Contents,
  maxWebhooks: number,
): Promise<void> {
  const added = Map.groupBy(webhooks, ({ organizationId }) => organizationId)
  const { rows } = await sql.query<{ id: string; count: number }>(
    `select posthorn.type_id('org', organization_id) as id, count(*)::int as count from posthorn.webhooks
     where organization_id = any ($1) and deleted_at is null group by organization_id`,
    [[...added.keys()].map((id) => parseId('organization', id))],
  )
  const existing = new Map(rows.map(({ id, count }) => [id, count]))
  for (const [id, { length }] of added) {
    const count = length + (existing.get(id) ?? 0)
    if (count <= maxWebhooks) continue
    throw new Error(
      `The organization ${id} would have ${count.toLocaleString('en')} webhooks, and may have ${maxWebhooks.toLocaleString('en')}. Nothing was imported. Raise POSTHORN_MAX_WEBHOOKS, for the service too.`,
    )
  }
}
