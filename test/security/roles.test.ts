import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import { actForOrganization } from '../../src/db/act-for.ts'
import { type Db, openDatabase } from '../../src/db/client.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'
import {
  deleteOrganization,
  findDeletions,
} from '../../src/organizations/deletion/delete-organization.ts'
import { deleteOldRows } from '../../src/run/maintenance.ts'
import { runCommand } from '../cli/run-command.ts'
import { document } from '../graphql/support/document.ts'
import { openBrowser, VIEWER } from '../server/browser.ts'
import { startTestApp, type TestApp, testEnvironment } from '../support/app.ts'
import { countRows } from '../support/count-rows.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { maintainPartitions } from '../support/maintain-partitions.ts'
import { postGraphql } from '../support/post-graphql.ts'
import { runPosthorn } from '../support/posthorn-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { createRoleDatabase } from './role-database.ts'

const DAY_MS = 86_400_000

let posthorn: TestApp

const roles = await useResource(createRoleDatabase())
const { asOwner, asService } = roles
const receiver = await useResource(startReceiver())
afterAll(async () => await posthorn?.[Symbol.asyncDispose]())

test('before the owner has migrated, the service prints the command to run', async () => {
  const { code, stderr } = await runPosthorn(['start'], {
    environment: testEnvironment(asService.url),
  })
  expect(code).toBe(1)
  expect(stderr).toContain(`Run \`posthorn migrate --service-role ${roles.service}\``)
})

describe('after the owner has migrated', () => {
  const migrateAsOwner = (service = roles.service) =>
    runCommand(['migrate', '--service-role', service], testEnvironment(asOwner.url))

  beforeAll(async () => {
    const { code, stderr } = await migrateAsOwner()
    expect(code, stderr).toBe(0)
    const trustedAuthorities = [receiver.authority]
    posthorn = await startTestApp({ database: asService, trustedAuthorities })
  })

  test('a second migration changes nothing, also as the service', async () => {
    for (const url of [asOwner.url, asService.url]) {
      const again = await runCommand(['migrate'], testEnvironment(url))
      expect(again).toMatchObject({ code: 0, stdout: 'The database is up to date.\n' })
    }
  })

  test('the service erases contents in the background, and changes no audit entry', async () => {
    const type = { name: 'customer.erased', description: 'A customer', searchKeys: ['$.email'] }
    await createEventType(asService.prisma, type, SYSTEM)
    const { organizationId } = posthorn.tenant
    const email = 'ada@example.org'
    await posthorn.services.publishEvents(organizationId, [{ type: type.name, data: { email } }])
    const hook = { url: receiver.url, event_subscriptions: [type.name] }
    const { id } = (await (await posthorn.rest('POST', '/webhooks', hook)).json()) as { id: string }
    const input = { searchKey: { path: '$.email', equals: email }, unsent: 'CANCEL' }
    const { erase } = await posthorn.graphql(document('erasure', 'Erase'), { input })
    const read = async () =>
      (await posthorn.graphql(document('erasure', 'Erasure'), erase.task)).bulkTask
    await until(async () => (await read()).state === 'COMPLETED', 'the erasure is complete')
    expect(await read()).toMatchObject({ changed: 1 })
    const change = `update posthorn.audit_log set after = '"[erased]"'`
    await expect(asService.pool.query(change)).rejects.toThrow('permission denied')
    expect((await posthorn.rest('DELETE', `/webhooks/${id}`)).status).toBe(204)
  })

  test('the service can do everything that it needs', async () => {
    const hook = { url: receiver.url, enabled: true, event_subscriptions: [JOINED] }
    const created = await posthorn.rest('POST', '/webhooks', { ...hook, headers: { a: 'b' } })
    expect(created.status).toBe(201)
    const { id } = (await created.json()) as { id: string }
    expect((await posthorn.rest('GET', '/webhooks')).status).toBe(200)
    expect((await posthorn.rest('GET', `/webhooks/${id}/secret`)).status).toBe(200)
    expect((await posthorn.rest('POST', `/webhooks/${id}/secret/rotate`)).status).toBe(200)
    const change = { description: 'Changed', headers: null }
    expect((await posthorn.rest('PUT', `/webhooks/${id}`, change)).status).toBe(200)

    let failures = 1
    receiver.answer = (response) => void response.writeHead(failures-- > 0 ? 500 : 200).end()
    const events = [{ idempotencyKey: 'a' }, {}].map((key) => ({ type: JOINED, data: {}, ...key }))
    const publish = 'mutation ($i: PublishEventsInput!) { publishEvents(input: $i) { __typename } }'
    await posthorn.graphql(publish, { i: { events } })
    await receiver.arrival(3)
    const state = async () =>
      (await posthorn.graphql('{ deliveries { nodes { id state attempts { nodes { id } } } } }'))
        .deliveries.nodes
    await until(
      async () => (await state()).every((one: { state: string }) => one.state === 'SUCCEEDED'),
      'both are delivered',
    )
    const [delivery] = await state()
    await posthorn.graphql(document('deliveries', 'Redeliver'), { ids: [delivery.id] })
    await receiver.arrival(4)
    const test =
      'mutation ($id: ID!, $t: String!) { testDelivery(id: $id, input: { eventType: $t }) { __typename } }'
    await posthorn.graphql(test, { id, t: JOINED })
    await receiver.arrival(5)
    const since = new Date(Date.now() - 60_000).toISOString()
    const recover = document('bulk-tasks', 'RedeliverInBackground')
    const input = { missed: { webhookId: id, since } }
    expect((await posthorn.graphql(recover, { input })).redeliver.task).not.toBeNull()
    const browser = openBrowser(posthorn.app.url)
    expect((await browser.signIn({ token: posthorn.tenant.token })).status).toBe(204)
    expect((await browser.graphql(VIEWER)).errors).toBeUndefined()
    expect((await browser.signOut()).status).toBe(204)
    const portal =
      'mutation ($i: CreatePortalSessionInput!) { createPortalSession(input: $i) { __typename } }'
    const { createPortalSession } = await posthorn.graphql(portal, {
      i: { scopes: ['webhooks:read'], webhookId: id },
    })
    expect(createPortalSession.__typename).toBe('CreatePortalSessionSuccess')
    const operator = await createTenant(asService.prisma, ['admin'])
    const { data } = await postGraphql(
      posthorn.app.url,
      operator.token,
      document('frontend-sessions', 'CreateFrontendSession'),
      { input: { scopes: ['webhooks:read'], webhookId: id } },
      { 'posthorn-organization': posthorn.tenant.publicOrganizationId },
    )
    expect(data.createFrontendSession.frontendSession).toBeDefined()
    await asService.pool.query(
      `update posthorn.api_keys set expires_at = now() - interval '2 days' where session_kind is not null`,
    )
    expect(await deleteOldRows(asService.pool, 'sessions')).toBe(2)
    const { auditLog } = await posthorn.graphql('{ auditLog { nodes { action } } }')
    expect(auditLog.nodes.length).toBeGreaterThan(4)
    const page = await (await fetch(`${posthorn.app.url}/readyz`)).json()
    expect(page).toMatchObject({ status: 'ok' })
    expect((await posthorn.rest('DELETE', `/webhooks/${id}`)).status).toBe(204)
  })

  test('the service deletes an organization with its functions, and cannot delete its rows itself', async () => {
    const { organizationId, publicOrganizationId: id } = await createTenant(asService.prisma)
    const rows = (table: string) =>
      asService.pool.query(`select from posthorn.${table} where organization_id = $1`, [
        organizationId,
      ])
    expect((await rows('audit_log')).rowCount).toBeGreaterThan(0)
    for (const table of ['api_keys', 'audit_log', 'bulk_tasks']) {
      await expect(asService.pool.query(`delete from posthorn.${table}`)).rejects.toThrow(
        'permission denied',
      )
    }
    await deleteOrganization(asService.prisma, id, { force: false }, SYSTEM)
    const hasEnded = async () => (await findDeletions(asService.prisma, id))[0]?.finishedAt
    await until(hasEnded, 'the organization is deleted', 30_000)
    expect((await rows('audit_log')).rowCount).toBe(0)
    expect((await rows('bulk_tasks')).rowCount).toBe(1)
  })

  test('commands and maintenance work as the service', async () => {
    const environment = testEnvironment(asService.url)
    const created = await runCommand(
      ['organization', 'create', 'Harvest Fair', '--json'],
      environment,
    )
    expect(created.code, created.stderr).toBe(0)
    const rotated = await runCommand(['key', 'rotate-encryption', '--json'], environment)
    expect(rotated.code, rotated.stderr).toBe(0)
    const inTenDays = new Date(Date.now() + 10 * DAY_MS)
    const ahead = await maintainPartitions(asService.pool, 365 * DAY_MS, inTenDays)
    expect(ahead.created).toBeGreaterThan(0)
    const inAYear = new Date(Date.now() + 400 * DAY_MS)
    const { dropped } = await maintainPartitions(asService.pool, 395 * DAY_MS, inAYear)
    expect(dropped).toBeGreaterThan(0)
    expect(await deleteOldRows(asService.pool, 'audit_entries', 365 * DAY_MS)).toBe(0)
    const add = `select graphile_worker.add_job('posthorn:maintain', '{}', job_key := 'maintain')`
    expect((await asService.pool.query(add)).rowCount).toBe(1)
    const waits = `graphile_worker.jobs where key = 'maintain'`
    const hasRun = async () => (await countRows(asService.pool, waits)) === 0
    await until(hasRun, 'the maintenance job has run')
    const failed = 'select last_error from graphile_worker.jobs where last_error is not null'
    expect((await asService.pool.query(failed)).rows).toEqual([])
  })

  test.each([
    'create table posthorn.mine ()',
    'create table public.mine ()',
    'create temporary table mine ()',
    'create schema mine',
    'drop table posthorn.webhooks',
    'alter table posthorn.webhooks add column mine int',
    'create or replace function posthorn.never() returns timestamptz language sql return now()',
    'create function graphile_worker.mine() returns void language sql as $$ select $$',
    'alter function graphile_worker.add_jobs(graphile_worker.job_spec[], boolean) security definer',
    'drop schema graphile_worker cascade',
    'drop policy own_organization on posthorn.webhooks',
    `update posthorn.audit_log set action = 'nothing.done'`,
    'delete from posthorn.audit_log',
    'delete from posthorn.events',
    'select * from posthorn_partitions.events_default',
    `insert into posthorn._prisma_migrations (id, checksum, migration_name) values ('a', 'b', 'c')`,
    'delete from posthorn.organizations',
    'delete from posthorn.api_keys',
    `set role ${roles.owner}`,
    `grant ${roles.owner} to ${roles.service}`,
    `alter role ${roles.service} bypassrls`,
  ])('the service cannot: %s', async (statement) => {
    await expect(asService.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test("none of graphile-worker's tables has a grant or a policy", async () => {
    const { rows } = await roles.asAdmin.pool.query(
      `select relname from pg_class
       where relnamespace = 'graphile_worker'::regnamespace and relkind = 'r' and (
         exists (select from pg_policy where polrelid = pg_class.oid)
         or exists (select from aclexplode(relacl) where grantee <> relowner))`,
    )
    expect(rows).toEqual([])
  })

  test.each([
    ['the owner', () => roles.owner, /is the migrating role/],
    ['a superuser', () => new URL(inject('postgresUrl')).username, /is a superuser/],
    ['an unknown role', () => 'no_such_role', /There is no role "no_such_role"/],
  ])('%s is rejected as the role of the service', async (_case, role, message) => {
    const { code, stderr } = await migrateAsOwner(role())
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
  })

  test('the service does not migrate graphile-worker itself, and the owner grants it the new objects', async () => {
    const revision = async () =>
      (await roles.asAdmin.pool.query('select max(id) as revision from graphile_worker.migrations'))
        .rows[0].revision
    const current = await revision()
    await roles.asAdmin.pool.query('delete from graphile_worker.migrations where id = $1', [
      current,
    ])
    const rejected = await runCommand(['migrate'], testEnvironment(asService.url))
    expect(rejected.code).toBe(1)
    expect(rejected.stderr).toContain(`Run \`posthorn migrate --service-role ${roles.service}\``)
    expect(await revision()).toBe(current - 1)
    const upgraded = await migrateAsOwner()
    expect(upgraded.code, upgraded.stderr).toBe(0)
    expect(await revision()).toBe(current)
  })

  describe('row-level security by itself', () => {
    const WEBHOOK = { url: 'https://example.com/', eventSubscriptions: [JOINED] }
    let mine: string
    let theirs: string

    beforeAll(async () => {
      mine = posthorn.tenant.organizationId
      theirs = (await createTenant(asService.prisma)).organizationId
      for (const organizationId of [mine, theirs]) {
        const data = { ...WEBHOOK, organizationId }
        const { id: webhookId } = await asService.prisma.webhook.create({ data })
        const secret = { webhookId, keyCiphertext: randomBytes(40) }
        await asService.prisma.signingSecret.create({ data: secret })
      }
    })

    /** Queries without an organization filter. */
    const UNFILTERED: Record<string, (tx: Db) => PromiseLike<{ organizationId: string }[]>> = {
      webhook: (tx) => tx.webhook.findMany(),
      apiKey: (tx) => tx.apiKey.findMany(),
      bulkTask: (tx) => tx.bulkTask.findMany(),
      idempotencyKey: (tx) => tx.idempotencyKey.findMany(),
      signingSecret: async (tx) =>
        (await tx.signingSecret.findMany({ include: { webhook: true } })).map((row) => row.webhook),
    }
    test.each(Object.entries(UNFILTERED))(
      'hides every %s of other organizations from a transaction that acts for one',
      async (_model, read) => {
        const rows = await actForOrganization(asService.prisma, mine, async (tx) => await read(tx))
        expect(rows.filter(({ organizationId }) => organizationId !== mine)).toEqual([])
        const all = await read(asService.prisma)
        expect(all.length).toBeGreaterThanOrEqual(rows.length)
      },
    )

    test('rejects changes to another organization', async () => {
      const data = { revokedAt: new Date() }
      const changed = await actForOrganization(asService.prisma, mine, async (tx) => [
        await tx.webhook.updateMany({ where: { organizationId: theirs }, data: { enabled: true } }),
        await tx.apiKey.updateMany({ where: { organizationId: theirs }, data }),
      ])
      expect(changed).toEqual([{ count: 0 }, { count: 0 }])
      const creation = actForOrganization(asService.prisma, mine, (tx) =>
        tx.webhook.create({ data: { ...WEBHOOK, organizationId: theirs } }),
      )
      await expect(creation).rejects.toThrow(/row-level security/)
    })

    test('ends with the transaction: the next one on the connection sees all rows', async () => {
      await using single = openDatabase(asService.url, { maxConnections: 1 })
      await actForOrganization(single.prisma, mine, (tx) => tx.webhook.count())
      expect(await single.prisma.webhook.count()).toBe(await asService.prisma.webhook.count())
    })
  })
})
