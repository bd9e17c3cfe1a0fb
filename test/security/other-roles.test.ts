import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { runCommand } from '../cli/run-command.ts'
import { blocksOf } from '../docs/support/pages.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { testEnvironment, useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'
import { createRoleDatabase } from './role-database.ts'

/** A reserved word of SQL, so that every statement must quote it. */
const WORKER_SCHEMA = { POSTHORN_WORKER_SCHEMA: 'user' }

const roles = await useResource(createRoleDatabase())
const receiver = await useResource(startReceiver())
const migrated = await runCommand(
  ['migrate', '--service-role', roles.service, '--dashboards-role', roles.dashboards],
  { ...testEnvironment(roles.asOwner.url), ...WORKER_SCHEMA },
)
expect(migrated.code, migrated.stderr).toBe(0)
const posthorn = await useTestApp({
  database: roles.asService,
  environment: { ...WORKER_SCHEMA, POSTHORN_RETRY_SCHEDULE: '1h' },
  trustedAuthorities: [receiver.authority],
})
await createWebhook(posthorn, receiver.url)

describe('a host application with usage on the schema and execute on the publish functions', () => {
  let asHost: Database

  beforeAll(async () => {
    const connected = await roles.connectAsHost()
    asHost = connected.asHost
    await roles.asOwner.pool.query(`
      grant usage on schema posthorn to ${connected.host};
      grant execute on function
        posthorn.publish_events(text, text), posthorn.publish_events(text, json), posthorn.publish_events(text, jsonb),
        posthorn.publish_event(text, text, text, text, timestamptz, text, json),
        posthorn.publish_event(text, text, json, text, timestamptz, text, json),
        posthorn.publish_event(text, text, jsonb, text, timestamptz, text, jsonb)
      to ${connected.host}`)
  })

  test.each(['', '::json', '::jsonb'])('publishes with both functions, of …%s', async (cast) => {
    receiver.clear()
    const { publicOrganizationId: organization } = posthorn.tenant
    const many = await asHost.pool.query(`select * from posthorn.publish_events($1, $2${cast})`, [
      organization,
      JSON.stringify([{ type: JOINED, data: { n: 1 } }]),
    ])
    const one = await asHost.pool.query(
      `select * from posthorn.publish_event($1, $2, $3${cast}, idempotency_key => $4)`,
      [organization, JOINED, '{"n": 1}', `key${cast}`],
    )
    expect([...many.rows, ...one.rows]).toMatchObject(Array(2).fill({ delivery_count: 1 }))
    await receiver.arrival(2)
  })

  test.each([
    'select * from posthorn.events',
    'select * from posthorn.webhooks',
    'select * from posthorn.webhook_backlogs',
    'select * from "user".jobs',
    `select "user".add_job('posthorn:sweep')`,
    `select posthorn.enqueue('sweep', '{}')`,
    `select posthorn.insert_events('{}', '{}', '{}', '{}', '{}', '{}', '{}')`,
  ])('cannot: %s', async (statement) => {
    await expect(asHost.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
  })
})

describe('the role for dashboards', () => {
  const read = async (statement: string) => (await roles.asDashboards.pool.query(statement)).rows

  test('can read the jobs', async () => {
    receiver.answer = (response) => response.writeHead(503).end()
    await posthorn.graphql(
      'mutation ($i: PublishEventInput!) { publishEvent(input: $i) { __typename } }',
      { i: { type: JOINED, data: {} } },
    )
    const deliveries = () =>
      read(
        `select attempts, max_attempts, run_at > now() as later, last_error, locked_at from "user".jobs
         where task_identifier = 'posthorn:deliver'`,
      )
    await until(async () => (await deliveries())[0]?.last_error, 'the job shows the failure')
    const last_error = `HTTP 503 from ${receiver.url.slice(0, -1)} (attempt 1 of 2)`
    expect(await deliveries()).toEqual([
      { attempts: 1, max_attempts: 2, later: true, last_error, locked_at: null },
    ])
  })

  test('can read the backlog of each webhook', async () => {
    const { webhooks } = await posthorn.graphql('{ webhooks { nodes { id } } }')
    const query =
      'select webhook_id, url, parked::int, scheduled::int from posthorn.webhook_backlogs'
    const webhook_id = webhooks.nodes[0].id
    expect(await read(query)).toEqual([{ webhook_id, url: receiver.url, parked: 0, scheduled: 1 }])
  })

  test.each([
    'select * from posthorn.webhooks',
    'select * from posthorn.events',
    'select * from posthorn.signing_secrets',
    'select * from "user".migrations',
    `select "user".add_job('posthorn:sweep')`,
    'select "user".complete_jobs(array(select id from "user".jobs))',
    `select "user".remove_job('key')`,
    `select posthorn.publish_events('org', '[]')`,
    'create table posthorn.mine ()',
    'create table "user".mine ()',
    'create temporary table mine ()',
  ])('cannot: %s', async (statement) => {
    await expect(read(statement)).rejects.toMatchObject({ code: '42501' })
  })

  test('is rejected by name if it does not exist', async () => {
    const { code, stderr } = await runCommand(['migrate', '--dashboards-role', 'no_such_role'], {
      ...testEnvironment(roles.asOwner.url),
      ...WORKER_SCHEMA,
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/There is no role "no_such_role"/)
  })
})

describe('the SQL of docs/operate', () => {
  const sqlOf = (name: string) =>
    blocksOf(`docs/operate/${name}.md`)
      .filter(({ language }) => language === 'sql')
      .map(({ text }) => text.replaceAll('graphile_worker.', '"user".'))
  const blocks = sqlOf('runbook')

  test.each([...blocks, ...sqlOf('monitor')])(
    'runs as the role of the service: %s',
    async (sql) => {
      await roles.asService.pool.query(sql)
    },
  )

  test('in runbook.md runs as the role for dashboards, if it reads jobs or backlogs', async () => {
    const ofDashboards = blocks.filter((sql) => /"user"\.jobs|webhook_backlogs/.test(sql))
    expect(ofDashboards).toHaveLength(3)
    for (const sql of ofDashboards) await roles.asDashboards.pool.query(sql)
    const [other = ''] = blocks.filter((sql) => !ofDashboards.includes(sql))
    await expect(roles.asDashboards.pool.query(other)).rejects.toMatchObject({ code: '42501' })
  })
})
