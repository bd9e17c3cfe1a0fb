import { setTimeout as sleep } from 'node:timers/promises'
import { COMMAND_LINE } from '../../src/access/actor.ts'
import type { Sql } from '../../src/db/client.ts'
import { deleteOrganization } from '../../src/organizations/deletion/delete-organization.ts'
import type { Bench } from './bench.ts'
import { fillFinished } from './fill.ts'
import { measureLatencies, selectFields, toLatency } from './latency.ts'
import { startPosthornServer } from './posthorn-server.ts'
import { addWebhooks, createBenchTenant, openBenchServices } from './tenant.ts'

const DAYS = 20
const DAY_MS = 24 * 60 * 60 * 1_000
const PER_SECOND = 100

/** O: publish to receipt of an organization beside the deletion of another one, and how long the deletion holds locks. */
export async function reportDeletion(bench: Bench): Promise<void> {
  const { stored, steadyMs } = bench.sizes
  await using database = await bench.server.createDatabase()
  await using services = openBenchServices(database.url)
  const { pool, prisma } = services.database
  const leaving = await createBenchTenant(services)
  const staying = await createBenchTenant(services)
  const { url } = bench.receiver
  const gone = await addWebhooks(services, leaving, url, 'ok', { count: 20 })
  const [type = ''] = await addWebhooks(services, staying, url, 'stamp')
  const now = Date.now()
  const [since, until] = [new Date(now - DAYS * DAY_MS), new Date(now - DAY_MS)]
  await fillFinished(pool, leaving, gone, stored, since, until)
  await database.settle()
  await using posthorn = await startPosthornServer(bench, database.url, 'all')
  const events = { token: staying.token, type, perSecond: PER_SECOND, measureMs: steadyMs }
  const before = toLatency(await measureLatencies(bench, posthorn, events))

  const startedAt = performance.now()
  await deleteOrganization(prisma, leaving.publicOrganizationId, { force: true }, COMMAND_LINE)
  const sampling = startSampling(pool)
  const beside = toLatency(await measureLatencies(bench, posthorn, events))
  const { deletedRows } = await find()
  while ((await find()).finishedAt === null) await sleep(200)
  const tookMs = performance.now() - startedAt
  const longestMs = await sampling.stop()

  const report = (name: string, value: number, also: Record<string, number>, limit?: number) =>
    bench.report({
      ...{ scenario: 'O', name, value, unit: 'ms', also },
      ...(limit && { bound: { kind: 'at most', limit } }),
    })
  const deliveries = `${stored.toLocaleString('en')} deliveries`
  report('publish to receipt alone, p99', before.p99, selectFields(before, 'p50', 'max'))
  report(
    `publish to receipt beside the deletion of ${deliveries}, p99`,
    beside.p99,
    { ...selectFields(beside, 'p50', 'max'), 'rows deleted meanwhile': Number(deletedRows) },
    before.p99 + 100,
  )
  report('longest time that the deletion held locks', longestMs, {}, 100)
  report(`deleting an organization with ${deliveries}`, tookMs, {})

  async function find() {
    const { organizationId } = leaving
    return await prisma.organizationDeletion.findUniqueOrThrow({ where: { organizationId } })
  }
}

const SAMPLE_EVERY_MS = 5

/** Looks how long the transactions of deletions have been open: they alone lock rows of tombstones. */
function startSampling(sql: Sql): { stop(): Promise<number> } {
  let isStopped = false
  let longestMs = 0
  const sampling = (async () => {
    while (!isStopped) {
      const { rows } = await sql.query<{ ms: number | null }>(`
        select max(1000 * extract(epoch from clock_timestamp() - a.xact_start))::float8 as ms
        from pg_locks as l join pg_stat_activity as a using (pid)
        where l.relation = 'posthorn.organization_deletions'::regclass and l.mode = 'RowShareLock'`)
      longestMs = Math.max(longestMs, rows[0]?.ms ?? 0)
      await sleep(SAMPLE_EVERY_MS)
    }
  })()
  return {
    async stop() {
      isStopped = true
      await sampling
      return longestMs
    },
  }
}
