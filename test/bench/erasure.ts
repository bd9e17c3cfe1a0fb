import { COMMAND_LINE } from '../../src/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { erase } from '../../src/erasure/start-erasure.ts'
import type { Bench } from './bench.ts'
import { DATA, fillFinished } from './fill.ts'
import { measureLatencies, selectFields, toLatency } from './latency.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, type BenchTenant, createBenchTenant, openBenchServices } from './tenant.ts'

const MAX_ERASED = 100_000
const DAYS = 20
const DAY_MS = 24 * 60 * 60 * 1_000
const PER_SECOND = 100

type Services = ReturnType<typeof openBenchServices>

/** Y: publish to receipt of an organization while payloads of another one are erased by a search key. */
export async function reportErasure(bench: Bench): Promise<void> {
  const { scaleStored, steadyMs } = bench.sizes
  const count = Math.min(scaleStored, MAX_ERASED)
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const [erased, staying] = [await createBenchTenant(services), await createBenchTenant(services)]
  const { url } = bench.receiver
  const [type = ''] = await addWebhooks(services, staying, url, 'stamp')
  await fillWithKeys(services, erased, url, count)
  await database.settle()
  await using posthorn = await startPosthornServer(bench, database.url, 'all')
  const events = { token: staying.token, type, perSecond: PER_SECOND, measureMs: steadyMs }
  const before = toLatency(await measureLatencies(bench, posthorn, events))

  const startedAt = performance.now()
  const erasing = eraseAll(services, erased)
  const beside = toLatency(await measureLatencies(bench, posthorn, events))
  await erasing
  const tookMs = performance.now() - startedAt

  const report = (name: string, value: number, also: Record<string, number>, limit?: number) =>
    bench.report({
      ...{ scenario: 'Y', name, value, unit: 'ms', also },
      ...(limit && { bound: { kind: 'at most', limit } }),
    })
  const payloads = `${count.toLocaleString('en')} payloads`
  report('publish to receipt alone, p99', before.p99, selectFields(before, 'p50', 'max'))
  report(
    `publish to receipt beside the erasure of ${payloads}, p99`,
    beside.p99,
    selectFields(beside, 'p50', 'max'),
    before.p99 + 100,
  )
  report(`erasing ${payloads} by a search key`, tookMs, {})
}

/** Events of the last weeks with deliveries, responses and search keys. */
async function fillWithKeys(
  services: Services,
  tenant: BenchTenant,
  receiver: string,
  count: number,
): Promise<void> {
  const { pool } = services.database
  const types = await addWebhooks(services, tenant, receiver, 'ok', { count: 20 })
  const now = Date.now()
  await fillFinished(pool, tenant, types, count, new Date(now - DAYS * DAY_MS), new Date(now))
  await addSearchKey(pool, tenant, types)
  await pool.query(
    `update posthorn.attempts set response_headers = '{"content-type": "text/plain"}', response_body = 'received'
     where organization_id = $1`,
    [tenant.organizationId],
  )
}

/** The search key of all filled events, which have the same value. */
export const SEARCH_KEY = { path: '$.attendee', equals: DATA.attendee }

/** Adds the search key to types and to the events of a tenant. */
export async function addSearchKey(
  sql: Services['database']['pool'],
  { organizationId }: BenchTenant,
  types: readonly string[],
): Promise<void> {
  const { path, equals } = SEARCH_KEY
  await sql.query('update posthorn.event_types set search_keys = $1 where name = any ($2)', [
    [path],
    types,
  ])
  await sql.query(
    `insert into posthorn.event_keys (organization_id, path, value, event_id)
     select organization_id, $2, $3, id from posthorn.events where organization_id = $1`,
    [organizationId, path, equals],
  )
}

async function eraseAll(services: Services, { organizationId }: BenchTenant): Promise<void> {
  const { webhooks, database } = services
  const { pool, prisma } = database
  const deps = { prisma, sql: pool, webhooks, actor: COMMAND_LINE }
  const { erasureId } = await erase(deps, organizationId, {
    searchKey: SEARCH_KEY,
    unsent: 'cancel',
  })
  const uuid = parseId('erasure', erasureId ?? '') as string
  for (;;) {
    const { state } = await prisma.erasure.findUniqueOrThrow({ where: { id: uuid } })
    if (state === 'completed') return
    if (state === 'failed') throw new Error('The erasure failed.')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
