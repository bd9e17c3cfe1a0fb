import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND_LINE } from '../../../src/access/actor.ts'
import { databaseInstallation } from '../../../src/cli/installation/database-installation.ts'
import { serverInstallation } from '../../../src/cli/installation/server-installation.ts'
import { deleteOrganization } from '../../../src/organizations/deletion/delete-organization.ts'
import {
  ORGANIZATION_TABLES,
  OTHER_TABLES,
  TABLES_OF_PARENTS,
} from '../../../src/organizations/deletion/organization-tables.ts'
import { exportOrganization } from '../../../src/organizations/export/export-organization.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { createTenant, JOINED } from '../../support/factories.ts'
import { fillDeliveries } from '../../support/many-deliveries.ts'
import { dropChecks, fillOrganization } from '../deletion/support/fill-organization.ts'

const MARKER = 'marker-of-the-export'

/** More than two pages of every table that a page bounds. */
const COUNT = 1_100

let posthorn: TestApp
let operator: Awaited<ReturnType<typeof createTenant>>
let full: Awaited<ReturnType<typeof createTenant>>
beforeAll(async () => {
  posthorn = await startTestApp({ role: 'api' })
  const { prisma, pool } = posthorn.database
  operator = await createTenant(prisma, ['admin'])
  full = await createTenant(prisma)
  const registered = await posthorn.rest('POST', '/webhooks', {
    url: 'https://example.com/hook',
    headers: { 'X-Key': 'a-secret-header' },
    event_subscriptions: [JOINED],
  })
  expect(registered.status).toBe(201)
  await fillDeliveries(pool, full.organizationId, COUNT)
  await dropChecks(pool)
  await fillOrganization(pool, full.organizationId, MARKER)
})
afterAll(() => posthorn[Symbol.asyncDispose]())

interface Line {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
  readonly cursor: string
}

async function read(id: string, { after = null as string | null, secrets = false } = {}) {
  const { database, webhooks } = posthorn.services
  const deps = { sql: database.pool, keyring: webhooks.keyring, actor: COMMAND_LINE }
  const lines: Line[] = []
  for await (const line of await exportOrganization(deps, id, { after, secrets })) {
    expect(line.endsWith('\n')).toBe(true)
    lines.push(JSON.parse(line))
  }
  return lines
}

test('an export has every row of every table of the organization once, and nothing of another one', async () => {
  const lines = await read(full.publicOrganizationId)
  const counts = Object.groupBy(lines, ({ table }) => table)
  const { pool } = posthorn.database
  for (const table of Object.keys(ORGANIZATION_TABLES).filter((one) => one !== 'live_listeners')) {
    const { rows } = await pool.query(
      `select count(*)::int as n from posthorn.${table} where organization_id = $1`,
      [full.organizationId],
    )
    expect(counts[table]?.length, table).toBe(rows[0].n)
  }
  for (const table of Object.keys(TABLES_OF_PARENTS).filter((one) => one !== 'rate_limits')) {
    expect(counts[table]?.length, table).toBe(1)
  }
  expect(counts['organizations']).toMatchObject([
    { row: { id: full.publicOrganizationId, name: 'Harvest Fair' } },
  ])
  expect(new Set(lines.map(({ cursor }) => cursor)).size).toBe(lines.length)
  const text = JSON.stringify(lines)
  expect(text).not.toContain(posthorn.tenant.publicOrganizationId)
  expect(text).toContain(MARKER)
})

test('an export has every column as the tables hold it, except secrets, hashes of tokens and the tables of processes', async () => {
  const byTable = Map.groupBy(await read(full.publicOrganizationId), ({ table }) => table)
  const { rows: tables } = await posthorn.database.pool.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attname) as columns
     from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'posthorn'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all ($1)
     group by c.relname`,
    [[...Object.keys(OTHER_TABLES), '_prisma_migrations']],
  )
  const leftOut = tables.flatMap(({ name, columns }) => {
    const exported = Object.keys(byTable.get(name)?.[0]?.row ?? {})
    const missing = columns.filter((column) => !exported.includes(column))
    return missing.length === columns.length ? name : missing.map((column) => `${name}.${column}`)
  })
  expect(leftOut.toSorted()).toEqual([
    'api_keys.token_hash',
    'erasures.value_ciphertext',
    'idempotency_keys.request_hash',
    'idempotency_keys.response_ciphertext',
    'live_listeners',
    'rate_limits',
    'sent_mails.recipient_hash',
    'sessions.token_hash',
    'sign_in_links.token_hash',
    'signing_secrets.key_ciphertext',
    'webhooks.headers_ciphertext',
  ])
  for (const table of Object.keys(ORGANIZATION_TABLES).filter((one) => byTable.has(one))) {
    if (table === 'audit_log') continue
    const { rows } = await posthorn.database.pool.query<{ row: object }>(
      `select to_jsonb(r) as row from posthorn.${table} as r where organization_id = $1`,
      [full.organizationId],
    )
    const exported = byTable.get(table)?.map(({ row }) => valuesOf(row))
    expect(exported?.toSorted(), table).toEqual(rows.map(({ row }) => valuesOf(row)).toSorted())
  }
})

/** What an export prints as the database has it: all but ids, bytes, hashes and ciphertexts. */
function valuesOf(row: object): string {
  const values = Object.entries(row).filter(
    ([column, value]) =>
      !/^([a-z]+_[0-9a-z]{26}|[0-9a-f-]{36})$/.test(String(value)) &&
      !/_(hash|ciphertext)$|^response_body$/.test(column),
  )
  return JSON.stringify(values.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

test('an export that broke off goes on behind any of its lines', async () => {
  const all = await read(full.publicOrganizationId)
  // The audit entry of the export before is one more line.
  const withoutLog = (lines: readonly Line[]) =>
    lines.filter(({ table }) => table !== 'audit_log').map(({ cursor }) => cursor)
  for (const at of [0, 1, 5, 700, Math.floor(Math.random() * all.length), all.length - 1]) {
    const rest = await read(full.publicOrganizationId, { after: all[at]?.cursor ?? null })
    expect(withoutLog(rest), String(at)).toEqual(withoutLog(all.slice(at + 1)))
  }
})

test('secrets are exported only on request, and hashes of tokens never; the audit log records both', async () => {
  const { publicOrganizationId: id, organizationId } = posthorn.tenant
  const without = JSON.stringify(await read(id))
  expect(without).not.toContain('a-secret-header')
  expect(without).not.toContain('whsec_')
  const lines = await read(id, { secrets: true })
  const webhook = lines.find(({ table }) => table === 'webhooks')
  expect(webhook?.row['headers']).toEqual({ 'X-Key': 'a-secret-header' })
  const secret = lines.find(({ table }) => table === 'signing_secrets')
  const shown = await posthorn.rest('GET', `/webhooks/${webhook?.row['id']}/secret`)
  expect(secret?.row['key']).toBe((await shown.json()).key)
  expect(JSON.stringify(lines)).not.toMatch(/token_hash|_ciphertext/)
  const entries = await posthorn.database.prisma.auditEntry.findMany({
    where: { organizationId, action: 'organization.exported' },
    orderBy: { id: 'asc' },
  })
  expect(entries.map(({ after }) => after)).toEqual([{ secrets: false }, { secrets: true }])
})

test('the server and the database give the same export', async () => {
  const through = serverInstallation({ url: posthorn.app.url, key: operator.token })
  const inDatabase = databaseInstallation(posthorn.services)
  const { publicOrganizationId: id } = full
  const [served, direct]: string[][] = [[], []]
  const options = { after: null, secrets: false }
  await through.exportOrganization(id, options, async (line) => void served?.push(line))
  await inDatabase.exportOrganization(id, options, async (line) => void direct?.push(line))
  const withoutLog = (lines: readonly string[] = []) =>
    lines.filter((line) => !line.startsWith('{"table":"audit_log"'))
  expect(withoutLog(direct)).toEqual(withoutLog(served))
  const unknown = through.exportOrganization('org_x', options, async () => {})
  await expect(unknown).rejects.toThrow('org_x')
})

test.each([
  ['no key', null, 401],
  ['a key without admin', 'tenant', 403],
] as const)('over HTTP, %s is refused', async (_what, key, status) => {
  const response = await fetch(
    `${posthorn.app.url}/export/organizations/${full.publicOrganizationId}`,
    { headers: key ? { authorization: `Bearer ${posthorn.tenant.token}` } : {} },
  )
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toContain('application/problem+json')
})

test.each([
  ['?after=nonsense', 422, 'after must be the cursor of a line'],
  [`?after=${Buffer.from('["pg_authid",["1"]]').toString('base64url')}`, 422, 'after must be'],
  [`?after=${Buffer.from('["webhooks",["1"]]').toString('base64url')}`, 422, 'after must be'],
  ['?secrets=yes', 422, 'secrets must be true or false.'],
])('over HTTP, %s is refused with the remedy', async (query, status, detail) => {
  const url = `${posthorn.app.url}/export/organizations/${full.publicOrganizationId}${query}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${operator.token}` } })
  expect(response.status).toBe(status)
  expect((await response.json()).detail).toContain(detail)
})

test('an organization that is being deleted has no export', async () => {
  const { publicOrganizationId: id } = await createTenant(posthorn.database.prisma)
  await deleteOrganization(posthorn.database.prisma, id, { force: false }, COMMAND_LINE)
  await expect(read(id)).rejects.toMatchObject({ code: 'not_found' })
})
