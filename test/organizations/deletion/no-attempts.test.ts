import { expect, test } from 'vitest'
import { COMMAND_LINE } from '../../../src/access/actor.ts'
import { deleteOrganization } from '../../../src/organizations/deletion/delete-organization.ts'
import { deletionKey } from '../../../src/queue/jobs.ts'
import { openWorkerProcesses } from '../../bulk-tasks/worker-processes.ts'
import { createWebhook } from '../../scheduling/support/backlog.ts'
import { countRows } from '../../support/count-rows.ts'
import { createTenant, JOINED } from '../../support/factories.ts'
import { callerWith } from '../../support/post-graphql.ts'
import { until } from '../../support/until.ts'
import { useResource } from '../../support/use-resource.ts'

const COUNT = 60

const processes = await useResource(
  openWorkerProcesses({
    // So long that the circuit breaker does not put the webhook on hold: it waits for a minute of failures.
    POSTHORN_RETRY_SCHEDULE: Array.from({ length: 20 }, () => '1s').join(','),
    POSTHORN_CONCURRENCY: '10',
  }),
)
const { api, receiver } = processes

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
  await until(async () => (await locked(inFlight)) === 0, 'the attempts in flight end', 60_000)
  const before = sent('gone')
  const left = `posthorn.deliveries where organization_id = $1 and state = 'pending'`
  expect(await countRows(pool, left, [organizationId])).toBe(COUNT)
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

const register = (token: string, at: string) =>
  createWebhook(callerWith(api.app.url, token), `${receiver.url}${at}`)

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

const locked = (keys: readonly string[]) =>
  countRows(
    api.database.pool,
    'graphile_worker.jobs where key = any ($1) and locked_at is not null',
    [keys],
  )

const jobsOf = (organization: string) =>
  countRows(
    api.database.pool,
    `graphile_worker.jobs as job join posthorn.deliveries as d on job.key = posthorn.type_id('msg', d.id)
     where posthorn.type_id('org', d.organization_id) = $1`,
    [organization],
  )
