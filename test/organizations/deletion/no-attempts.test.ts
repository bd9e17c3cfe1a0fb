import { afterAll, beforeAll, expect, test } from 'vitest'
import { COMMAND_LINE } from '../../../src/access/actor.ts'
import { deleteOrganization } from '../../../src/organizations/deletion/delete-organization.ts'
import { deletionKey } from '../../../src/queue/jobs.ts'
import { openWorkerProcesses, type WorkerProcesses } from '../../bulk-tasks/worker-processes.ts'
import type { TestApp } from '../../support/app.ts'
import { createTenant, JOINED } from '../../support/factories.ts'
import type { Receiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

const COUNT = 60

let receiver: Receiver
let api: TestApp
let processes: WorkerProcesses
beforeAll(async () => {
  processes = await openWorkerProcesses({
    // So long that the circuit breaker does not put the webhook on hold: it waits for a minute of failures.
    POSTHORN_RETRY_SCHEDULE: Array.from({ length: 20 }, () => '1s').join(','),
    POSTHORN_CONCURRENCY: '10',
  })
  ;({ api, receiver } = processes)
})
afterAll(() => processes[Symbol.asyncDispose]())

test('once a deletion has begun and the attempts in flight have ended, no process sends anything, although its deliveries are still there and its webhook is in every cache', async () => {
  const { prisma, pool } = api.database
  const { organizationId, publicOrganizationId: id } = api.tenant
  const other = await createTenant(prisma)
  await register(api.tenant.token, 'gone')
  await register(other.token, 'kept')
  receiver.answer = (response) => {
    response.statusCode = 500
    response.end()
  }
  await using _first = processes.start()
  await using _second = processes.start()
  await publish(id)
  // Each process claims some of the retries.
  await until(() => sent('gone') >= 4 * COUNT, 'each delivery was retried', 60_000)
  await until(async () => (await claimants()) >= 2, 'both processes send', 60_000)

  // The deliveries and their jobs stay: without its job, the deletion deletes nothing.
  await prisma.$transaction(async (tx) => {
    await deleteOrganization(tx, id, { force: true }, COMMAND_LINE)
    await tx.$executeRaw`
      select graphile_worker.complete_jobs(array(
        select job.id from graphile_worker.jobs as job where job.key = ${deletionKey(id)}))`
  })
  const { rows: begun } = await pool.query<{ key: string }>(
    `select key from graphile_worker.jobs where key like 'msg%' and locked_at is not null`,
  )
  const inFlight = begun.map(({ key }) => key)
  await until(async () => !(await areLocked(inFlight)), 'the attempts in flight end', 60_000)
  const before = sent('gone')
  const { rows } = await pool.query(
    `select count(*)::int as n from posthorn.deliveries where organization_id = $1 and state = 'pending'`,
    [organizationId],
  )
  expect(rows).toEqual([{ n: COUNT }])
  // As if every one of them were due, once more.
  await pool.query(
    `select graphile_worker.add_job('posthorn:deliver', json_build_object(
       'deliveryId', posthorn.type_id('msg', d.id), 'webhookId', posthorn.type_id('wh', d.webhook_id),
       'eventType', d.event_type, 'organizationId', $2::text), job_key := posthorn.type_id('msg', d.id))
     from posthorn.deliveries as d where organization_id = $1`,
    [organizationId, id],
  )
  await publish(other.publicOrganizationId)
  await until(() => sent('kept') >= COUNT, 'the other organization is served', 60_000)
  await until(async () => (await jobsOf(id)) === 0, 'all jobs have run', 60_000)
  expect(sent('gone')).toBe(before)
}, 240_000)

const sent = (at: string) => receiver.received.filter(({ path: url }) => url === `/${at}`).length

async function register(token: string, at: string): Promise<void> {
  const response = await fetch(`${api.app.url}/api/connect/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      url: `${receiver.url}${at}`,
      event_subscriptions: [JOINED],
      enabled: true,
    }),
  })
  expect(response.status).toBe(201)
}

async function publish(organization: string): Promise<void> {
  await api.database.pool.query(
    `select posthorn.publish_event($1, $2, '{}') from generate_series(1, $3)`,
    [organization, JOINED, COUNT],
  )
}

/** The processes that run jobs now. */
async function claimants(): Promise<number> {
  const { rows } = await api.database.pool.query(
    `select count(distinct locked_by)::int as n from graphile_worker.jobs
     where task_identifier = 'posthorn:deliver' and locked_by is not null`,
  )
  return rows[0].n
}

async function areLocked(keys: readonly string[]): Promise<boolean> {
  const { rowCount } = await api.database.pool.query(
    'select from graphile_worker.jobs where key = any ($1) and locked_at is not null',
    [keys],
  )
  return rowCount !== 0
}

async function jobsOf(organization: string): Promise<number> {
  const { rows } = await api.database.pool.query(
    `select count(*)::int as n from graphile_worker.jobs as job
     join posthorn.deliveries as d on job.key = posthorn.type_id('msg', d.id)
     where posthorn.type_id('org', d.organization_id) = $1`,
    [organization],
  )
  return rows[0].n
}
