import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../src/auth/access/actor.ts'
import { writeAuditEntry } from '../../../src/auth/audit/audit-entry.ts'
import { publicId } from '../../../src/db/ids.ts'
import { deleteOldRows } from '../../../src/run/maintenance.ts'
import { runCommand } from '../../cli/run-command.ts'
import { testEnvironment, useTestApp } from '../../support/app.ts'
import { createTenant, JOINED } from '../../support/factories.ts'
import { callerWith } from '../../support/post-graphql.ts'

const DAY_MS = 86_400_000

const posthorn = await useTestApp({ role: 'api' })
const { pool, prisma } = posthorn.database

const LOG = `query ($filter: AuditFilter, $first: Int, $after: String) {
  auditLog(filter: $filter, first: $first, after: $after) {
    nodes { id person createdAt action subjectId subjectName apiKeyId source address forwardedFor userAgent before after }
    pageInfo { hasNextPage endCursor } } }`

async function log(filter: object = {}) {
  return (await posthorn.graphql(LOG, { filter, first: 100 })).auditLog.nodes
}

/** A field of the entries. */
const fieldOf = async (field: string, filter: object = {}) =>
  (await log(filter)).map((entry: Record<string, string>) => entry[field])

const HOOK = { url: 'https://example.com/a', event_subscriptions: [JOINED] }

/** A call with more headers. Without a method, creates a webhook. */
const send = (headers: object, path = '', method = 'POST', body: object = HOOK) =>
  fetch(`${posthorn.app.url}/api/connect/v1/webhooks${path}`, {
    method,
    headers: {
      authorization: `Bearer ${posthorn.tenant.token}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  })

/** Creates a webhook over REST, and returns its id. */
async function create(fields: object = {}): Promise<string> {
  const response = await posthorn.rest('POST', '/webhooks', { ...HOOK, ...fields })
  return ((await response.json()) as { id: string }).id
}

describe('over REST', () => {
  test('the entry of a change has its API key, its addresses, and the fields before and after', async () => {
    const id = await create({ headers: { 'X-Key': 'one' } })
    const from = { 'user-agent': 'Harvest/1.0', 'x-forwarded-for': '203.0.113.7' }
    const changed = { url: 'https://example.com/b', headers: { 'X-Key': 'two' } }
    await send(from, `/${id}`, 'PUT', changed)
    await posthorn.rest('POST', `/webhooks/${id}/secret/rotate`)
    await posthorn.rest('DELETE', `/webhooks/${id}`)

    const entries = await log({ subjectIds: [id] })
    expect(await fieldOf('action', { subjectIds: [id] })).toEqual([
      'webhook.deleted',
      'signing_secret.rotated',
      'webhook.updated',
      'webhook.created',
    ])
    const apiKeyId = publicId('apiKey', posthorn.tenant.keyId)
    expect(entries).toMatchObject(entries.map(() => ({ source: 'REST', apiKeyId })))
    expect(entries[2]).toMatchObject({
      address: '127.0.0.1',
      forwardedFor: '203.0.113.7',
      userAgent: 'Harvest/1.0',
      before: { url: 'https://example.com/a', headers: { 'X-Key': '•••' } },
      after: { url: 'https://example.com/b', headers: { 'X-Key': '••• (changed)' } },
    })
    expect(entries[0]).toMatchObject({ before: { url: 'https://example.com/b' }, after: null })
  })

  test('reads and rejected requests leave no entry', async () => {
    const before = (await log()).length
    await posthorn.rest('GET', '/webhooks')
    const wrong = await posthorn.rest('POST', '/webhooks', { ...HOOK, url: 'http://x' })
    expect(wrong.status).toBe(422)
    expect((await posthorn.rest('DELETE', '/webhooks/wh_x')).status).toBe(404)
    expect((await log()).length).toBe(before)
  })

  test('each reading of signing secrets leaves an entry, over both APIs', async () => {
    const id = await create()
    await posthorn.rest('POST', `/webhooks/${id}/secret/rotate`)
    const action = 'signing_secret.revealed'
    await posthorn.rest('GET', `/webhooks/${id}/secret`)
    expect(await log({ subjectIds: [id], actions: [action] })).toMatchObject([{ source: 'REST' }])
    const keys = 'signingSecret { key } expiringSigningSecrets { key }'
    await posthorn.graphql(`{ webhook(id: "${id}") { ${keys} } }`)
    const entries = await log({ subjectIds: [id], actions: [action] })
    const [current, old] = [{ source: 'GRAPHQL' }, { source: 'GRAPHQL' }]
    expect(entries).toMatchObject([current, old, { source: 'REST' }])
    expect(JSON.stringify(entries)).not.toContain('whsec_')
    // A new webhook has no old secret to reveal.
    const other = await create()
    await posthorn.graphql(`{ webhook(id: "${other}") { expiringSigningSecrets { key } } }`)
    expect(await log({ subjectIds: [other], actions: [action] })).toEqual([])
  })

  test('a repeated request with the same idempotency key leaves one entry', async () => {
    const post = () => send({ 'idempotency-key': 'once' })
    const { id } = (await (await post()).json()) as { id: string }
    await post()
    expect(await log({ subjectIds: [id] })).toHaveLength(1)
  })
})

test('the entry of a command has the source CLI', async () => {
  const environment = testEnvironment(posthorn.database.url)
  const run = (...args: string[]) => runCommand(args, environment)
  const owner = ['--organization', posthorn.tenant.publicOrganizationId]
  const created = await run('key', 'create', ...owner, '--scope', 'webhooks:read', '--json')
  const { id } = JSON.parse(created.stdout)
  const entries = await log({ subjectIds: [id] })
  expect(entries).toMatchObject([{ action: 'api_key.created', source: 'CLI', apiKeyId: null }])
  await run('key', 'rotate-encryption')
  const rotation = { action: 'encryption.rotated', source: 'cli' } as const
  expect(await prisma.auditEntry.count({ where: rotation })).toBe(1)
  const { stdout } = await run('organization', 'create', 'Of the shell', '--json')
  const entry = await prisma.auditEntry.findFirst({ where: { subjectId: JSON.parse(stdout).id } })
  expect(entry).toMatchObject({ action: 'organization.created', source: 'cli' })
})

describe('reading the audit log', () => {
  test('filters by time, action, subject and API key, and pages', async () => {
    for (let i = 0; i < 3; i++) await create()
    const filter = { actions: ['webhook.created'] }
    const all = await log(filter)
    expect(all.length).toBeGreaterThanOrEqual(3)
    const times = await fieldOf('createdAt', filter)
    expect(times).toEqual(times.toSorted().reverse())
    const { auditLog } = await posthorn.graphql(LOG, { filter, first: 2 })
    const after = auditLog.pageInfo.endCursor
    const next = await posthorn.graphql(LOG, { filter, first: 100, after })
    expect([...auditLog.nodes, ...next.auditLog.nodes]).toEqual(all)
    const key = publicId('apiKey', posthorn.tenant.keyId)
    expect(await log({ ...filter, apiKeyIds: [key] })).toEqual(all)
    expect(await log({ until: '2020-01-01T00:00:00Z' })).toEqual([])
    expect(await log({ ...filter, since: all[0].createdAt })).toContainEqual(all[0])
  })

  test.each([
    [{ actions: ['webhook.created', 'webhook.creatd'] }, /Did you mean .+webhook.created/],
    [{ apiKeyIds: ['nonsense'] }, /filter.apiKeyIds.0 must be the id of an API key/],
    [{ subjectKinds: [] }, /must not be empty; omit it to match all/],
  ])('rejects the filter %j', async (filter, message) => {
    await expect(log(filter)).rejects.toThrow(message)
  })

  test('takes several values for each filter, and an entry must match all filters', async () => {
    const [webhook, other] = [await create(), await create()]
    await posthorn.rest('POST', `/webhooks/${webhook}/secret/rotate`)
    await posthorn.rest('DELETE', `/webhooks/${other}`)
    const subjectIds = [webhook, other]
    const actionsOf = (filter: object) => fieldOf('action', { subjectIds, ...filter })
    expect(await actionsOf({})).toEqual([
      'webhook.deleted',
      'signing_secret.rotated',
      'webhook.created',
      'webhook.created',
    ])
    const two = ['webhook.deleted', 'signing_secret.rotated']
    expect(await actionsOf({ actions: two })).toEqual(two)
    expect(await actionsOf({ subjectKinds: ['API_KEY', 'WEBHOOK'] })).toHaveLength(4)
    expect(await actionsOf({ subjectKinds: ['API_KEY'], actions: two })).toEqual([])
    expect(await actionsOf({ sources: ['CLI', 'REST'] })).toHaveLength(4)
    expect(await actionsOf({ sources: ['CLI'] })).toEqual([])
  })

  test('finds people by their name with email address, or by the email address', async () => {
    const { organizationId } = posthorn.tenant
    const entry = { organizationId, action: 'webhook.updated', subjectId: 'of.people' } as const
    const people = ['Person A <a_b@example.com>', 'Person B <aXb@example.com>', 'Person C', null]
    for (const person of people) await writeAuditEntry(prisma, { ...SYSTEM, person }, entry)
    const found = (...wanted: string[]) =>
      fieldOf('person', { subjectIds: ['of.people'], people: wanted })
    expect(await found('a_b@example.com')).toEqual(['Person A <a_b@example.com>'])
    const both = ['Person C', 'Person B <aXb@example.com>']
    expect(await found('Person C', 'aXb@example.com')).toEqual(both)
    expect(await found('Person A')).toEqual([])
  })

  test('an organization never reads the entries of another organization, by list or by id', async () => {
    const other = await createTenant(prisma, ['admin'])
    const [entry] = await log()
    const { node, auditLog } = await callerWith(posthorn.app.url, other.token).graphql(
      `{ node(id: "${entry.id}") { id } auditLog(first: 100) { nodes { subjectId } } }`,
    )
    expect(node).toBeNull()
    const subjects = auditLog.nodes.map(({ subjectId }: { subjectId: string }) => subjectId)
    expect(subjects).not.toContain(posthorn.tenant.publicOrganizationId)
    // An operator reads the entries of its own organization and of the installation.
    expect(subjects).toContain(other.publicOrganizationId)
  })

  test('only an operator reads the entries of the installation', async () => {
    const entry = { action: 'event_type.updated', subjectId: 'of.all' } as const
    await writeAuditEntry(prisma, SYSTEM, { organizationId: null, ...entry })
    expect(await log({ subjectIds: ['of.all'] })).toEqual([])
  })
})

describe('an audit entry', () => {
  const insert = (subjectId: string, daysAgo: number) =>
    pool.query(
      `insert into posthorn.audit_log (id, source, action, subject_id)
       values (posthorn.uuid_v7_lower_bound(now() - $2 * interval '1 day'), 'system', 'webhook.updated', $1)`,
      [subjectId, daysAgo],
    )
  const countOf = (subjectId: string) => prisma.auditEntry.count({ where: { subjectId } })

  test.each([
    `update posthorn.audit_log set action = 'nothing.done'`,
    'delete from posthorn.audit_log',
    'truncate posthorn.audit_log',
  ])('cannot be changed, even by the owner of the table: %s', async (statement) => {
    await expect(pool.query(statement)).rejects.toThrow(/append-only/)
  })

  test('is deleted after its retention, and kept for at least 30 days', async () => {
    const ages = { 'of 364 days': 364, 'of 366 days': 366, 'of 29 days': 29, 'of 31 days': 31 }
    for (const [subjectId, days] of Object.entries(ages)) await insert(subjectId, days)
    await deleteOldRows(pool, 'audit_entries', 365 * DAY_MS)
    expect([await countOf('of 364 days'), await countOf('of 366 days')]).toEqual([1, 0])
    await deleteOldRows(pool, 'audit_entries', 0)
    expect([await countOf('of 29 days'), await countOf('of 31 days')]).toEqual([1, 0])
  })
})
