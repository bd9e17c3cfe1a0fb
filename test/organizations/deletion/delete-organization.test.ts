import { expect, test } from 'vitest'
import { COMMAND_LINE, SYSTEM } from '../../../src/auth/access/actor.ts'
import { createApiKey } from '../../../src/auth/api-keys/api-key.ts'
import { writeAuditEntries } from '../../../src/auth/audit/audit-entry.ts'
import type { Sql } from '../../../src/db/client.ts'
import { parseId, publicId } from '../../../src/db/ids.ts'
import {
  deleteOrganization,
  findDeletions,
} from '../../../src/organizations/deletion/delete-organization.ts'
import { ORGANIZATION_TABLES } from '../../../src/organizations/deletion/delete-rows.ts'
import { getOrganization, listOrganizations } from '../../../src/organizations/find-organization.ts'
import { readBounds } from '../../../src/streams/event-stream/event-stream.ts'
import { rowsWith, STATISTICS, tablesWith } from '../../erasure/search-everywhere.ts'
import { type Api, openApi, useApi } from '../../graphql/support/api.ts'
import { countRows } from '../../support/count-rows.ts'
import { JOINED } from '../../support/factories.ts'
import { fillDeliveries } from '../../support/many-deliveries.ts'
import { openTransaction } from '../../support/transaction.ts'
import {
  dropChecks,
  fillOrganization,
  OTHER_TABLES,
  TABLES_OF_PARENTS,
} from './support/fill-organization.ts'
import { finishDeletion, runDeletionPage } from './support/finish-deletion.ts'

// Whole tables are searched.
const api = await useApi('own')
const { pool, prisma } = api.database

const remove = (id: string, force = true) => deleteOrganization(prisma, id, { force }, COMMAND_LINE)

const deletionOf = async (organizationId: string) =>
  (await findDeletions(prisma, publicId('organization', organizationId)))[0]

test('nothing of a deleted organization is left in any table but its tombstone and the audit entry about it, and another organization keeps everything', async () => {
  await using own = await openApi()
  const { pool, prisma } = own.database
  const [gone, kept] = [await own.tenant(), await own.tenant()]
  await fillDeliveries(pool, gone.organizationId, 300)
  await fillDeliveries(pool, kept.organizationId, 100)
  await dropChecks(pool)
  await fillOrganization(pool, gone.organizationId, 'marker-of-the-one-that-leaves')
  await fillOrganization(pool, kept.organizationId, 'marker-of-the-one-that-stays')
  await prisma.organization.update({
    where: { id: gone.organizationId },
    data: { name: 'marker-of-the-one-that-leaves' },
  })
  await addOldEvents(own)
  const before = await contentsOf(pool, kept.organizationId)
  const found = await rowsWith(pool, 'marker-of-the-one-that-leaves')
  for (const table of ['webhooks', 'api_keys', 'events_', 'attempts_', 'audit_log', 'incidents']) {
    expect(found).toContainEqual(expect.stringContaining(table))
  }
  await pool.query('analyze')
  expect(await tablesWith(pool, 'marker-of-the-one-that-leaves')).toContain(STATISTICS)

  await deleteOrganization(prisma, gone.publicOrganizationId, { force: true }, COMMAND_LINE)
  await finishDeletion(own.database, gone.organizationId)

  expect(await tablesWith(pool, 'marker-of-the-one-that-leaves')).toEqual([])
  expect(await rowsWith(pool, gone.organizationId)).toEqual(['bulk_tasks'])
  expect(await rowsWith(pool, gone.publicOrganizationId)).toEqual(['audit_log'])
  expect(await contentsOf(pool, kept.organizationId)).toEqual(before)
  expect(await findDeletions(prisma, null)).toMatchObject([
    {
      organizationId: gone.organizationId,
      selection: { requestedBy: 'command line' },
      finishedAt: expect.any(Date),
      progress: {},
    },
  ])
})

/** A checksum of all rows of an organization, table by table. */
async function contentsOf(sql: Sql, organizationUuid: string) {
  const contents: Record<string, unknown> = {}
  for (const table of Object.keys(ORGANIZATION_TABLES)) {
    const { rows } = await sql.query(
      `select md5(string_agg(r::text, ' ' order by r::text)) as hash, count(*)::int as n
       from posthorn.${table} as r where organization_id = $1`,
      [organizationUuid],
    )
    contents[table] = rows[0]
  }
  return contents
}

/** Leaves old rows in the default partitions. */
async function addOldEvents({ database: { pool } }: Api): Promise<void> {
  await pool.query(
    `insert into posthorn.events (id, organization_id, type, occurred_at, data)
     select posthorn.uuid_v7_lower_bound(now() - i * interval '100 days'), organization_id, 'x', now(), '{}'
     from (select distinct organization_id, 3 + row_number() over (order by organization_id) as i
       from (select distinct organization_id from posthorn.webhooks) as w) as o`,
  )
  expect(await countRows(pool, 'posthorn_partitions.events_default')).toBe(2)
}

test('an organization with enabled webhooks is deleted only with force, and disabled webhooks do not matter', async () => {
  const { organizationId, publicOrganizationId: id, addWebhook } = await api.tenant()
  const { id: webhookId } = await addWebhook()
  await addWebhook()
  await expect(remove(id, false)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`The organization ${id} has 2 enabled webhooks.`),
  })
  expect(await getOrganization(prisma, id)).toMatchObject({ id: organizationId })
  await prisma.webhook.updateMany({ where: { organizationId }, data: { enabled: false } })
  await remove(id, false)
  const webhook = await prisma.webhook.findUniqueOrThrow({
    where: { id: parseId('webhook', webhookId) as string },
    include: { signingSecrets: true },
  })
  expect(webhook).toMatchObject({ enabled: false, deletedAt: expect.any(Date), signingSecrets: [] })
})

test('from the call on, its keys and sessions are refused', async () => {
  const { token, publicOrganizationId: id } = await api.tenant()
  const operator = await api.tenant(['admin'])
  const created = await api.deps.authenticate(`Bearer ${token}`)
  expect(created.organizationId).toBeTruthy()
  const [session] = await prisma.$queryRaw<{ id: string }[]>`
    insert into posthorn.sessions (token_hash, api_key_id, expires_at)
    values (sha256('x'), ${created.keyId}::uuid, now() + interval '1 day') returning id`
  const actor = { ...SYSTEM, apiKeyId: operator.keyId }
  await deleteOrganization(prisma, id, { force: false }, actor)
  const answer = await api.call(token, '{ viewer { organization { name } } }')
  expect(answer.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  expect(await countRows(pool, 'posthorn.sessions where id = $1', [session?.id])).toBe(0)
  expect(await deletionOf(created.organizationId)).toMatchObject({
    selection: { requestedBy: publicId('apiKey', operator.keyId) },
  })
})

test('the organization is found nowhere any more, by operators neither', async () => {
  const { publicOrganizationId: id, organizationId } = await api.tenant()
  const operator = await api.tenant(['admin'])
  await remove(id)
  await expect(getOrganization(prisma, id)).rejects.toMatchObject({ code: 'not_found' })
  expect((await listOrganizations(prisma)).map((one) => one.id)).not.toContain(organizationId)
  const query = `query ($id: ID!) {
    organization(id: $id) { id } node(id: $id) { id }
    newest: organizations(first: 100) { nodes { id } }
    damaged: organizations(first: 100, orderBy: DAMAGE_FIRST) { nodes { id } }
  }`
  const { data } = await api.call(operator.token, query, { id })
  expect(data).toMatchObject({ organization: null, node: null })
  expect(JSON.stringify(data)).not.toContain(id)
})

test('a second deletion changes nothing, during the first and after it; an unknown organization is not found', async () => {
  const { publicOrganizationId: id, organizationId } = await api.tenant()
  await remove(id)
  const first = await deletionOf(organizationId)
  await remove(id)
  await finishDeletion(api.database, organizationId)
  await remove(id)
  expect(await deletionOf(organizationId)).toMatchObject({ id: first?.id })
  const entries = await prisma.auditEntry.findMany({ where: { subjectId: id } })
  expect(entries).toMatchObject([
    { action: 'organization.deleted', organizationId: null, after: { force: true } },
  ])
  await expect(remove('org_0000000000000000000000000a')).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(remove('org')).rejects.toMatchObject({ code: 'not_found' })
})

test('nobody deletes the organization of the own API key', async () => {
  const { publicOrganizationId: id, keyId } = await api.tenant(['admin'])
  const actor = { ...SYSTEM, apiKeyId: keyId }
  const own = deleteOrganization(prisma, id, { force: true }, actor)
  await expect(own).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`Your API key belongs to the organization ${id}`),
  })
  expect(await getOrganization(prisma, id)).toBeTruthy()
})

test('publishing is refused from the call on: for callers that were authenticated before, and for SQL', async () => {
  const { publicOrganizationId: id, organizationId, publish } = await api.tenant()
  const other = await api.tenant()
  await remove(id)
  // One statement may hold the calls of several organizations.
  const [refused, published] = await Promise.allSettled([publish(), other.publish()])
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'unauthenticated' } })
  expect(published).toMatchObject({ status: 'fulfilled' })
  const bySql = (organization: string) =>
    pool.query(`select * from posthorn.publish_event($1, $2, '{}'::text)`, [organization, JOINED])
  await expect(bySql(id)).rejects.toThrow(`there is no organization '${id}'`)
  await bySql(other.publicOrganizationId)
  await finishDeletion(api.database, organizationId)
  await expect(bySql(id)).rejects.toThrow(`there is no organization '${id}'`)
  await expect(publish()).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('what a transaction publishes that was open during the deletion is deleted after its commit', async () => {
  const { publicOrganizationId: id, organizationId, addWebhook } = await api.tenant()
  await addWebhook()
  using host = await openTransaction(pool)
  await host.query(`select * from posthorn.publish_event($1, $2, '{}'::text)`, [id, JOINED])
  await remove(id)
  for (let pages = 0; pages < 80; pages++) {
    await runDeletionPage(api.database, organizationId)
  }
  expect(await deletionOf(organizationId)).toMatchObject({ finishedAt: null })
  await host.query('commit')
  await finishDeletion(api.database, organizationId)
  expect(await rowsWith(pool, organizationId)).toEqual(['bulk_tasks'])
})

test('no role deletes or changes a tombstone, and rows of an organization that stays are not deleted', async () => {
  const { publicOrganizationId: id, organizationId } = await api.tenant()
  const other = await api.tenant()
  await remove(id)
  for (const statement of [
    'delete from posthorn.bulk_tasks',
    `update posthorn.bulk_tasks set selection = '{}'`,
    'truncate posthorn.bulk_tasks',
  ]) {
    await expect(pool.query(statement)).rejects.toThrow('keeps the deletions of organizations')
  }
  const rows = (organization: string) =>
    pool.query(
      `select * from posthorn.delete_organization_rows($1, 'api_keys', '{id}', null, 10)`,
      [organization],
    )
  await expect(rows(other.organizationId)).rejects.toThrow('No deletion of the organization')
  await expect(
    pool.query('delete from posthorn.audit_log where organization_id = $1', [other.organizationId]),
  ).rejects.toThrow('append-only')
  await rows(organizationId)
  await finishDeletion(api.database, organizationId)
  await expect(rows(organizationId)).rejects.toThrow('No deletion of the organization')
})

test('a caller that was authenticated before changes nothing, and leaves no entry of the audit log', async () => {
  const { publicOrganizationId: id, organizationId, keyId } = await api.tenant()
  const other = await api.tenant()
  await remove(id)
  const actor = { ...SYSTEM, apiKeyId: keyId }
  const key = { name: 'late', scopes: ['events:read'], grantedBy: null } as const
  const create = (owner: string) =>
    createApiKey(prisma, { ...key, scopes: [...key.scopes], organizationId: owner }, actor)
  await expect(create(organizationId)).rejects.toMatchObject({ code: 'unauthenticated' })
  await create(other.organizationId)
  await finishDeletion(api.database, organizationId)
  await expect(create(organizationId)).rejects.toMatchObject({ code: 'unauthenticated' })
  // What has no transaction of its own.
  const entry = { action: 'webhook.updated', subjectId: id } as const
  await writeAuditEntries(pool, actor, [{ ...entry, organizationId }])
  await expect(readBounds(pool, organizationId)).rejects.toThrow('has ended')
  expect(await rowsWith(pool, organizationId)).toEqual(['bulk_tasks'])
  await writeAuditEntries(pool, actor, [{ ...entry, organizationId: other.organizationId }])
  await readBounds(pool, other.organizationId)
  expect(await rowsWith(pool, other.organizationId)).toEqual(
    expect.arrayContaining(['audit_log', 'event_streams']),
  )
})

test('for each table it is decided how a deletion removes the rows of an organization, or why there are none', async () => {
  const { rows } = await pool.query(
    `select relname as name from pg_class
     where relnamespace = 'posthorn'::regnamespace and relkind in ('r', 'p') and not relispartition
       -- Prisma's bookkeeping
       and relname !~ '^_'
     order by relname collate "C"`,
  )
  const decided = [ORGANIZATION_TABLES, TABLES_OF_PARENTS, OTHER_TABLES].flatMap(Object.keys)
  expect(decided.toSorted()).toEqual(rows.map(({ name }) => name))
})
