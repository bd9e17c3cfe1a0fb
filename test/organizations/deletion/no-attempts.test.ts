import { expect, test } from 'vitest'
import { COMMAND_LINE } from '../../../src/auth/access/actor.ts'
import { deleteOrganization } from '../../../src/organizations/deletion/delete-organization.ts'
import { createWebhook } from '../../scheduling/support/backlog.ts'
import { useTestApp } from '../../support/app.ts'
import { countRows } from '../../support/count-rows.ts'
import { createTenant, JOINED } from '../../support/factories.ts'
import { callerWith } from '../../support/post-graphql.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { useResource } from '../../support/use-resource.ts'

const COUNT = 10

const receiver = await useResource(startReceiver())
const trustedAuthorities = [receiver.authority]
const api = await useTestApp({ trustedAuthorities })
const { pool, prisma } = api.database
// A second Posthorn that sends. Both have the webhook in their cache.
await useTestApp({ trustedAuthorities, database: api.database })

test('once a deletion has begun and the attempts in flight have ended, nothing is sent, although the deliveries are still there', async () => {
  const { organizationId, publicOrganizationId: id } = api.tenant
  const other = await createTenant(prisma)
  // So long that the circuit breaker does not put the webhook on hold: it waits for a minute of failures.
  const retryScheduleSeconds = Array(20).fill(1)
  const register = (token: string, at: string) =>
    createWebhook(callerWith(api.app.url, token), `${receiver.url}${at}`, { retryScheduleSeconds })
  await register(api.tenant.token, 'gone')
  await register(other.token, 'kept')
  receiver.answer = (response) => response.writeHead(500).end()
  await publish(id)
  await until(() => sent('gone') >= 3 * COUNT, 'each delivery was retried', 60_000)

  // The deliveries and their jobs stay: without its job, the deletion deletes nothing.
  await prisma.$transaction(async (tx) => {
    await deleteOrganization(tx, id, { force: true }, COMMAND_LINE)
    await tx.$executeRaw`
      select graphile_worker.complete_jobs(array(
        select job.id from graphile_worker.jobs as job where job.key like 'task_%'))`
  })
  const { rows } = await pool.query<{ key: string }>(
    `select key from graphile_worker.jobs where key like 'msg%' and locked_at is not null`,
  )
  const inFlight = 'graphile_worker.jobs where key = any ($1) and locked_at is not null'
  const keys = rows.map(({ key }) => key)
  await until(async () => (await countRows(pool, inFlight, [keys])) === 0, 'they end', 60_000)
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
  const jobs = `graphile_worker.jobs as job join posthorn.deliveries as d on job.key = posthorn.type_id('msg', d.id)
    where d.organization_id = $1`
  await until(async () => (await countRows(pool, jobs, [organizationId])) === 0, 'all jobs ran')
  expect(sent('gone')).toBe(before)
})

const sent = (at: string) => receiver.received.filter(({ path: url }) => url === `/${at}`).length

async function publish(organization: string): Promise<void> {
  await pool.query(`select posthorn.publish_event($1, $2, '{}') from generate_series(1, $3)`, [
    organization,
    JOINED,
    COUNT,
  ])
}
