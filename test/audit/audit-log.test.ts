import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../src/access/actor.ts'
import { writeAuditEntry } from '../../src/audit/audit-entry.ts'
import { deleteOldAuditEntries } from '../../src/audit/delete-old-audit-entries.ts'
import { publicId } from '../../src/db/ids.ts'
import { openApiDocument } from '../../src/rest/connect-v1/routes.ts'
import { runCommand } from '../cli/run-command.ts'
import { testEnvironment, useTestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'

const DAY_MS = 86_400_000

const posthorn = await useTestApp({ role: 'api' })

const LOG = `query ($filter: AuditFilter, $first: Int, $after: String) {
  auditLog(filter: $filter, first: $first, after: $after) {
    nodes { id createdAt action subjectId subjectName apiKeyId source address forwardedFor userAgent before after }
    pageInfo { hasNextPage endCursor } } }`

async function log(filter: object = {}) {
  return (await posthorn.graphql(LOG, { filter, first: 100 })).auditLog.nodes
}

/** Creates an object over REST, and returns its id. */
async function created(path: string, body: object): Promise<string> {
  const response = await posthorn.rest('POST', path, body)
  return ((await response.json()) as { id: string }).id
}

const HOOK = { url: 'https://example.com/a', event_subscriptions: [JOINED] }

describe('over REST', () => {
  test('this file covers every operation that changes something', () => {
    const { paths } = openApiDocument('/') as { paths: Record<string, object> }
    const changes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => method !== 'get')
        .map((method) => `${method} ${path.replace('/api/connect/v1', '')}`),
    )
    expect(changes.toSorted()).toEqual([
      'delete /webhooks/{webhook_id}',
      'post /webhooks',
      'post /webhooks/{webhook_id}/secret/rotate',
      'put /webhooks/{webhook_id}',
    ])
  })

  test('the entry of a change has its API key, its addresses, and the fields before and after', async () => {
    const created = await posthorn.rest('POST', '/webhooks', {
      ...HOOK,
      headers: { 'X-Key': 'one' },
    })
    const { id } = (await created.json()) as { id: string }
    await fetch(`${posthorn.app.url}/api/connect/v1/webhooks/${id}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${posthorn.tenant.token}`,
        'content-type': 'application/json',
        'user-agent': 'Harvest/1.0',
        'x-forwarded-for': '203.0.113.7',
      },
      body: JSON.stringify({ url: 'https://example.com/b', headers: { 'X-Key': 'two' } }),
    })
    await posthorn.rest('POST', `/webhooks/${id}/secret/rotate`)
    await posthorn.rest('DELETE', `/webhooks/${id}`)

    const entries = await log({ subjectIds: [id] })
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
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
    expect((await posthorn.rest('POST', '/webhooks', { ...HOOK, url: 'http://x' })).status).toBe(
      422,
    )
    expect((await posthorn.rest('DELETE', '/webhooks/wh_x')).status).toBe(404)
    expect((await log()).length).toBe(before)
  })

  test('each reading of signing secrets leaves an entry, over both APIs', async () => {
    const { id } = (await (await posthorn.rest('POST', '/webhooks', HOOK)).json()) as { id: string }
    await posthorn.rest('POST', `/webhooks/${id}/secret/rotate`)
    const action = 'signing_secret.revealed'
    await posthorn.rest('GET', `/webhooks/${id}/secret`)
    expect(await log({ subjectIds: [id], actions: [action] })).toMatchObject([{ source: 'REST' }])
    await posthorn.graphql(
      'query ($id: ID!) { webhook(id: $id) { signingSecret { key } expiringSigningSecrets { key } } }',
      { id },
    )
    const entries = await log({ subjectIds: [id], actions: [action] })
    const [current, old] = [{ source: 'GRAPHQL' }, { source: 'GRAPHQL' }]
    expect(entries).toMatchObject([current, old, { source: 'REST' }])
    expect(JSON.stringify(entries)).not.toContain('whsec_')
    // A new webhook has no old secret to reveal.
    const other = (await (await posthorn.rest('POST', '/webhooks', HOOK)).json()) as { id: string }
    await posthorn.graphql(
      'query ($id: ID!) { webhook(id: $id) { expiringSigningSecrets { key } } }',
      other,
    )
    expect(await log({ subjectIds: [other.id], actions: [action] })).toEqual([])
  })

  test('a repeated request with the same idempotency key leaves one entry', async () => {
    const headers = {
      authorization: `Bearer ${posthorn.tenant.token}`,
      'content-type': 'application/json',
      'idempotency-key': 'once',
    }
    const post = () =>
      fetch(`${posthorn.app.url}/api/connect/v1/webhooks`, {
        method: 'POST',
        headers,
        body: JSON.stringify(HOOK),
      })
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
  expect(await posthorn.database.prisma.auditEntry.count({ where: rotation })).toBe(1)
  const { stdout } = await run('organization', 'create', 'Of the shell', '--json')
  const entry = await posthorn.database.prisma.auditEntry.findFirst({
    where: { subjectId: JSON.parse(stdout).id },
  })
  expect(entry).toMatchObject({ action: 'organization.created', source: 'cli' })
})

describe('reading the audit log', () => {
  test('filters by time, action, subject and API key, and pages', async () => {
    for (let i = 0; i < 3; i++) await posthorn.rest('POST', '/webhooks', HOOK)
    const all = await log({ actions: ['webhook.created'] })
    expect(all.length).toBeGreaterThanOrEqual(3)
    expect(all.map(({ createdAt }: { createdAt: string }) => createdAt)).toEqual(
      all
        .map(({ createdAt }: { createdAt: string }) => createdAt)
        .toSorted()
        .reverse(),
    )
    const { auditLog } = await posthorn.graphql(LOG, {
      filter: { actions: ['webhook.created'] },
      first: 2,
    })
    const next = await posthorn.graphql(LOG, {
      filter: { actions: ['webhook.created'] },
      first: 100,
      after: auditLog.pageInfo.endCursor,
    })
    expect([...auditLog.nodes, ...next.auditLog.nodes]).toEqual(all)
    const key = publicId('apiKey', posthorn.tenant.keyId)
    expect(await log({ actions: ['webhook.created'], apiKeyIds: [key] })).toEqual(all)
    expect(await log({ until: '2020-01-01T00:00:00Z' })).toEqual([])
    expect(await log({ since: all[0].createdAt, actions: ['webhook.created'] })).toContainEqual(
      all[0],
    )
  })

  test.each([
    [{ actions: ['webhook.created', 'webhook.creatd'] }, /Did you mean .+webhook.created/],
    [{ apiKeyIds: ['nonsense'] }, /filter.apiKeyIds.0 must be the id of an API key/],
    [{ subjectKinds: [] }, /must not be empty; omit it to match all/],
  ])('rejects the filter %j', async (filter, message) => {
    await expect(log(filter)).rejects.toThrow(message)
  })

  test('takes several values for each filter, and an entry must match all filters', async () => {
    const webhook = await created('/webhooks', HOOK)
    const other = await created('/webhooks', HOOK)
    await posthorn.rest('POST', `/webhooks/${webhook}/secret/rotate`)
    await posthorn.rest('DELETE', `/webhooks/${other}`)
    const subjectIds = [webhook, other]
    const actionsOf = async (filter: object) =>
      (await log({ subjectIds, ...filter })).map(({ action }: { action: string }) => action)
    expect(await actionsOf({})).toEqual([
      'webhook.deleted',
      'signing_secret.rotated',
      'webhook.created',
      'webhook.created',
    ])
    expect(await actionsOf({ actions: ['webhook.deleted', 'signing_secret.rotated'] })).toEqual([
      'webhook.deleted',
      'signing_secret.rotated',
    ])
    expect(await actionsOf({ subjectKinds: ['API_KEY', 'WEBHOOK'] })).toHaveLength(4)
    expect(await actionsOf({ subjectKinds: ['API_KEY'] })).toEqual([])
    expect(await actionsOf({ subjectKinds: ['API_KEY'], actions: ['webhook.created'] })).toEqual([])
    expect(await actionsOf({ sources: ['CLI', 'REST'] })).toHaveLength(4)
    expect(await actionsOf({ sources: ['CLI'] })).toEqual([])
  })

  test('finds people by their name with email address, or by the email address', async () => {
    const entry = { action: 'webhook.updated', subjectId: 'of.people' } as const
    const people = ['Person A <a_b@example.com>', 'Person B <aXb@example.com>', 'Person C', null]
    for (const person of people) {
      await writeAuditEntry(
        posthorn.database.prisma,
        { ...SYSTEM, person },
        { ...entry, organizationId: posthorn.tenant.organizationId },
      )
    }
    const found = async (...wanted: string[]) => {
      const { auditLog } = await posthorn.graphql(
        'query ($filter: AuditFilter) { auditLog(filter: $filter) { nodes { person } } }',
        { filter: { subjectIds: ['of.people'], people: wanted } },
      )
      return auditLog.nodes.map(({ person }: { person: string }) => person)
    }
    expect(await found('a_b@example.com')).toEqual(['Person A <a_b@example.com>'])
    expect(await found('Person C', 'aXb@example.com')).toEqual([
      'Person C',
      'Person B <aXb@example.com>',
    ])
    expect(await found('Person A')).toEqual([])
  })

  test('an organization never reads the entries of another organization, by list or by id', async () => {
    const other = await createTenant(posthorn.database.prisma, ['admin'])
    const [entry] = await log()
    const call = async (query: string) => {
      const response = await fetch(`${posthorn.app.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${other.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields of its own query.
      return ((await response.json()) as any).data
    }
    const { node, auditLog } = await call(
      `{ node(id: "${entry.id}") { id } auditLog(first: 100) { nodes { subjectId } } }`,
    )
    expect(node).toBeNull()
    const subjects = auditLog.nodes.map(({ subjectId }: { subjectId: string }) => subjectId)
    expect(subjects).not.toContain(posthorn.tenant.publicOrganizationId)
    // An operator reads the entries of its own organization and of the installation.
    expect(subjects).toContain(other.publicOrganizationId)
  })

  test('only an operator reads the entries of the installation', async () => {
    await writeAuditEntry(posthorn.database.prisma, SYSTEM, {
      action: 'event_type.updated',
      organizationId: null,
      subjectId: 'of.all',
    })
    expect(await log({ subjectIds: ['of.all'] })).toEqual([])
  })
})

describe('an audit entry', () => {
  test.each([
    `update posthorn.audit_log set action = 'nothing.done'`,
    'delete from posthorn.audit_log',
    'truncate posthorn.audit_log',
  ])('cannot be changed, even by the owner of the table: %s', async (statement) => {
    await expect(posthorn.database.pool.query(statement)).rejects.toThrow(/append-only/)
  })

  test('is deleted after its retention', async () => {
    const { pool } = posthorn.database
    const insert = async (daysAgo: number) => {
      const { rows } = await pool.query(
        `insert into posthorn.audit_log (id, source, action, subject_id)
         values (posthorn.uuid_v7_lower_bound(now() - $1 * interval '1 day'), 'system', 'webhook.updated', 'old')
         returning id`,
        [daysAgo],
      )
      return rows[0].id
    }
    const [young, old] = [await insert(364), await insert(366)]
    const remaining = async () =>
      (await pool.query(`select id from posthorn.audit_log where subject_id = 'old'`)).rows
    await deleteOldAuditEntries(pool, 365 * DAY_MS)
    expect(await remaining()).toEqual([{ id: young }])
    expect(old).not.toBe(young)
    expect(await deleteOldAuditEntries(pool, 365 * DAY_MS)).toBe(0)
  })

  test('is kept for at least 30 days, even with a shorter retention', async () => {
    const before = await posthorn.database.prisma.auditEntry.count()
    await posthorn.database.pool.query(
      `insert into posthorn.audit_log (id, source, action, subject_id)
       values (posthorn.uuid_v7_lower_bound(now() - interval '31 days'), 'system', 'webhook.updated', 'older')`,
    )
    await deleteOldAuditEntries(posthorn.database.pool, 0)
    expect(await posthorn.database.prisma.auditEntry.count({ where: { subjectId: 'older' } })).toBe(
      0,
    )
    // The retention of 0 can delete only the entry of the previous test.
    expect(await posthorn.database.prisma.auditEntry.count()).toBeGreaterThanOrEqual(before - 1)
  })
})
