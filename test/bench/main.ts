import { parseArgs } from 'node:util'
import type { Bench } from './bench.ts'
import { startBenchReceiver } from './bench-receiver.ts'
import { type BenchServer, startBenchServer } from './bench-server.ts'
import { killChildren } from './children.ts'
import { reportDrains, reportTwoWorkers } from './drains.ts'
import { reportEndpoints } from './endpoints.ts'
import { reportFairness } from './fairness.ts'
import { reportLatency } from './latency.ts'
import { reportMemory } from './memory-rows.ts'
import { reportNoOpJobs } from './no-op-jobs.ts'
import { reportPages } from './pages.ts'
import { reportPublishing } from './publishing.ts'
import { reportRawUndici } from './raw-undici.ts'
import { createReport } from './report.ts'
import { reportSingles } from './singles.ts'
import { FULL, QUICK } from './sizes.ts'

/**
 * `npm run bench`: how fast Posthorn is on this machine, with a Postgres of its own and a TLS receiver in another
 * process. What counts are the ratios inside one run; `docs/performance.md` says how to read it.
 */
const SCENARIOS = {
  A: reportRawUndici,
  B: reportNoOpJobs,
  C: reportDrains,
  D: reportPublishing,
  E: reportLatency,
  F: reportFairness,
  G: reportMemory,
  H: reportTwoWorkers,
  P: reportPages,
  S: reportSingles,
  W: reportEndpoints,
} satisfies Record<string, (bench: Bench) => Promise<void>>

const { values } = parseArgs({
  options: {
    /** One JSON value on standard output. */
    json: { type: 'boolean', default: false },
    /** Letters of scenarios, such as A,C,E. Default: all of them. */
    only: { type: 'string', default: Object.keys(SCENARIOS).join(',') },
    /** Small sizes, to see that everything works. */
    quick: { type: 'boolean', default: false },
    /** Deliveries of a short drain. */
    count: { type: 'string' },
    /** Deliveries of the long drain, waiting beside a short one, and stored when pages are measured. */
    stored: { type: 'string' },
    /** A Postgres to measure with, in place of the bench's own. It must be idle, and may be thrown away. */
    database: { type: 'string' },
    /** A folder for processor profiles of the Posthorn processes; measuring takes longer with it. */
    profile: { type: 'string' },
  },
})
const base = values.quick ? QUICK : FULL
const sizes = {
  ...base,
  count: Number(values.count ?? base.count),
  stored: Number(values.stored ?? base.stored),
}
const chosen = values.only.toUpperCase().split(',')
const unknown = chosen.filter((letter) => !(letter in SCENARIOS))
if (unknown.length > 0 || !(sizes.count > 0) || !(sizes.stored > 0)) {
  console.error(
    `Give --only letters of ${Object.keys(SCENARIOS).join(', ')}, and --count and --stored numbers above 0.`,
  )
  process.exit(2)
}

const beganAt = performance.now()
const report = createReport(values.json)
{
  await using resources = new AsyncDisposableStack()
  const starting = startBenchServer(values.database)
  process.once('SIGINT', () => breakOff(starting, 130))
  process.once('SIGTERM', () => breakOff(starting, 143))
  process.on('uncaughtException', (error) => {
    console.error(error)
    breakOff(starting, 1)
  })
  const server = resources.use(await starting)
  const receiver = resources.use(await startBenchReceiver())
  const profileFolder = values.profile ?? null
  const bench: Bench = { server, receiver, sizes, profileFolder, report: report.add }
  for (const [letter, run] of Object.entries(SCENARIOS)) {
    if (chosen.includes(letter)) await run(bench)
  }
}
report.end(performance.now() - beganAt)

/** Ends everything that was started, at once. What was being measured fails, which no longer matters. */
async function breakOff(starting: Promise<BenchServer>, exitCode: number): Promise<void> {
  process.removeAllListeners('uncaughtException').on('uncaughtException', () => {})
  killChildren()
  const server = await starting.catch(() => null)
  await server?.[Symbol.asyncDispose]()
  process.exit(exitCode)
}
