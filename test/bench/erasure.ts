import { COMMAND_LINE } from '../../src/access/actor.ts'
import { parseId } from '../../src/db/ids.ts'
import { erase } from '../../src/erasure/start-erasure.ts'
import type { Bench } from './bench.ts'
import { DATA, fillFinished } from './fill.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, type BenchTenant, createBenchTenant, openBenchServices } from './tenant.ts'
import { percentilesOf, useMeanwhile } from './use-meanwhile.ts'

const MAX_ERASED = 100_000
const DAYS = 20
const DAY_MS = 24 * 60 * 60 * 1_000
const PATH = '$.attendee'

type Services = ReturnType<typeof openBenchServices>

/** Y: how long the calls of an organization take while payloads of another one are erased by a search key, compared with calls before. */
export async function reportErasure(bench: Bench): Promise<void> {
  const count = Math.min(bench.sizes.scaleStored, MAX_ERASED)
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const [erased, staying] = [await createBenchTenant(services), await createBenchTenant(services)]
  const receiver = bench.receiver.url
  const types = await addWebhooks(services, staying, receiver, 'ok', { count: 20 })
  await fillWithKeys(services, erased, receiver, count)
  await database.settle()
  await using posthorn = await startPosthornServer(bench, database.url, 'all')
  const target = { url: posthorn.url, token: staying.token, type: types[0] ?? '' }
  const before = await useMeanwhile(bench, target, null)
  const beside = await useMeanwhile(bench, target, () => eraseAll(services, erased), 0)
  bench.report({
    scenario: 'Y',
    name: `erasing ${count.toLocaleString('en')} payloads by a search key`,
    value: beside.tookMs,
    unit: 'ms',
  })
  const p99Before = percentilesOf(before, 0.99)
  for (const [name, p99] of Object.entries(percentilesOf(beside, 0.99))) {
    bench.report({
      scenario: 'Y',
      name: `p99 meanwhile, of another organization: ${name}`,
      value: p99,
      unit: 'ms',
      bound: { kind: 'at most', limit: (p99Before[name] ?? 0) + 100 },
      also: { before: p99Before[name] ?? Number.NaN },
    })
  }
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
  await pool.query('update posthorn.event_types set search_keys = $1 where name = any ($2)', [
    [PATH],
    types,
  ])
  const now = Date.now()
  await fillFinished(pool, tenant, types, count, new Date(now - DAYS * DAY_MS), new Date(now))
  await pool.query(
    `insert into posthorn.event_keys (organization_id, path, value, event_id)
     select organization_id, $2, $3, id from posthorn.events where organization_id = $1`,
    [tenant.organizationId, PATH, DATA.attendee],
  )
  await pool.query(
    `update posthorn.attempts set response_headers = '{"content-type": "text/plain"}', response_body = 'received'
     where organization_id = $1`,
    [tenant.organizationId],
  )
}

async function eraseAll(services: Services, { organizationId }: BenchTenant): Promise<void> {
  const { webhooks, database } = services
  const { pool, prisma } = database
  const deps = { prisma, sql: pool, webhooks, actor: COMMAND_LINE }
  const key = { path: PATH, equals: DATA.attendee }
  const { erasureId } = await erase(deps, organizationId, { key, unsent: 'cancel' })
  const uuid = parseId('erasure', erasureId ?? '') as string
  for (;;) {
    const { state } = await prisma.erasure.findUniqueOrThrow({ where: { id: uuid } })
    if (state === 'completed') return
    if (state === 'failed') throw new Error('The erasure failed.')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
