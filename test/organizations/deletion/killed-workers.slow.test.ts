import { expect, test } from 'vitest'
import { COMMAND_LINE } from '../../../src/auth/access/actor.ts'
import { setOperationalEvents } from '../../../src/health/alerts/operational-events.ts'
import { deleteOrganization } from '../../../src/organizations/deletion/delete-organization.ts'
import { openWorkerProcesses } from '../../bulk-tasks/worker-processes.ts'
import { filesAfterVacuum, rowsWith } from '../../erasure/search-everywhere.ts'
import { createWebhook } from '../../scheduling/support/backlog.ts'
import { countRows } from '../../support/count-rows.ts'
import { createTenant, JOINED } from '../../support/factories.ts'
import { fillDeliveries } from '../../support/many-deliveries.ts'
import { callerWith, postGraphql } from '../../support/post-graphql.ts'
import { until } from '../../support/until.ts'
import { useResource } from '../../support/use-resource.ts'

/** `DELETED=100000` makes a long run. */
const COUNT = Number(process.env['DELETED'] ?? 3_000)
const KILLS = 4

/** In everything that a tenant can name. Lower case, as the name of a host is. */
const MARKER = 'marker-of-ada-lovelace'

const processes = await useResource(
  openWorkerProcesses({
    POSTHORN_LOG_LEVEL: 'trace',
    POSTHORN_RETRY_SCHEDULE: '1s',
    POSTHORN_CONCURRENCY: '50',
  }),
)
const { api, receiver } = processes

test(`an organization with ${COUNT} deliveries is deleted while workers are killed at random points, while it publishes and its endpoint fails; nothing of it is left in tables and files, and another organization receives all its events`, async () => {
  const { pool, prisma } = api.database
  const operator = await createTenant(prisma)
  await prisma.organization.update({
    where: { id: api.tenant.organizationId },
    data: { name: `Ada ${MARKER}` },
  })
  const operatorOrganization = operator.publicOrganizationId
  await setOperationalEvents(prisma, { enabled: true, operatorOrganization }, COMMAND_LINE)
  const webhookId = await register(api.tenant.token, `failing/${MARKER}`)
  const other = await createTenant(prisma)
  await register(other.token, 'other')
  receiver.answer = (response, { path: url }) => {
    const fails = url.includes('failing')
    response.statusCode = fails ? 500 : 200
    response.end(fails ? `The answer has ${MARKER}.` : '')
  }
  await fillDeliveries(pool, api.tenant.organizationId, COUNT)
  processes.start()
  processes.start()
  try {
    for (let n = 0; n < 20; n++) await publish(api.tenant.token, { name: MARKER, n })
    await until(
      async () => (await attempts(webhookId)) >= 20,
      'attempts for the endpoint failed',
      60_000,
    )
    await until(
      async () => await isReported(operator.organizationId),
      'operators hear of it',
      60_000,
    )
    const found = await rowsWith(pool, MARKER)
    for (const table of ['attempts_', 'audit_log', 'events_', 'organizations', 'webhooks']) {
      expect(
        found.some((name) => name.includes(table)),
        table,
      ).toBe(true)
    }
    // As autovacuum does at any time: now the statistics of Postgres have values of rows.
    await pool.query('analyze')

    const published: Promise<number>[] = []
    let otherCount = 0
    const id = api.tenant.publicOrganizationId
    await deleteOrganization(prisma, id, { force: true }, COMMAND_LINE)
    const hasReached = async (part: number) => {
      const { finishedAt, changed } = await deletion()
      return finishedAt !== null || changed >= part * COUNT * 2
    }
    await processes.killAtRandom(KILLS, hasReached, async () => {
      published.push(publish(api.tenant.token, { name: MARKER }))
      await publish(other.token, { n: otherCount++ })
    })
    await until(async () => (await deletion()).finishedAt !== null, 'the deletion ends', 120_000)

    expect(new Set(await Promise.all(published))).toEqual(new Set([401]))
    const received = () => receiver.received.filter(({ path: url }) => url === '/other').length
    await until(
      () => received() >= otherCount,
      'the other organization receives its events',
      60_000,
    )
  } finally {
    await processes.stop()
  }
  expect(await rowsWith(pool, MARKER)).toEqual([])
  expect(await rowsWith(pool, api.tenant.organizationId)).toEqual(['bulk_tasks'])
  expect(await rowsWith(pool, api.tenant.publicOrganizationId)).toEqual([
    'audit_log',
    // What the operators were told, without its contents.
    expect.stringMatching(/^posthorn_partitions\.events_/),
  ])
  expect(await filesAfterVacuum(pool, MARKER)).toEqual([])
}, 600_000)

const isReported = async (organizationUuid: string) =>
  (await countRows(
    api.database.pool,
    'posthorn.events where organization_id = $1 and strpos(data, $2) > 0',
    [organizationUuid, MARKER],
  )) > 0

/** Creates a webhook that names the path in all that a tenant can set. */
const register = (token: string, at: string) =>
  createWebhook(callerWith(api.app.url, token), `${receiver.url}${at}`, {
    description: at,
    headers: [{ name: 'X-Key', value: at }],
  })

/** Returns the status: 401 if the key is refused. */
async function publish(token: string, data: object): Promise<number> {
  const query = `mutation ($input: PublishEventInput!) { publishEvent(input: $input) { __typename } }`
  const { errors } = await postGraphql(api.app.url, token, query, { input: { type: JOINED, data } })
  return errors?.[0]?.extensions.code === 'UNAUTHENTICATED' ? 401 : 200
}

const attempts = (webhookId: string) =>
  countRows(api.database.pool, `posthorn.attempts where posthorn.type_id('wh', webhook_id) = $1`, [
    webhookId,
  ])

async function deletion() {
  return await api.database.prisma.bulkTask.findFirstOrThrow({
    where: { organizationId: api.tenant.organizationId, action: 'delete_organization' },
  })
}
