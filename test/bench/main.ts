import { parseArgs } from 'node:util'
import { reportAfterVacuum } from './after-vacuum.ts'
import type { Bench } from './bench.ts'
import { startBenchReceiver } from './bench-receiver.ts'
import { type BenchServer, startBenchServer } from './bench-server.ts'
import { killChildren } from './children.ts'
import { reportDeletion } from './deletion.ts'
import { reportDrains, reportWorkers } from './drains.ts'
import { reportEndpoints } from './endpoints.ts'
import { reportErasure } from './erasure.ts'
import { reportFairness } from './fairness.ts'
import { reportFilters } from './filters.ts'
import { reportLatency } from './latency.ts'
import { reportMemory } from './memory-usage.ts'
import { reportNeighbors } from './neighbors.ts'
import { reportNoOpJobs } from './no-op-jobs.ts'
import { reportOneProcess } from './one-process.ts'
import { reportPages } from './pages.ts'
import { reportPublishing } from './publishing.ts'
import { reportRawUndici } from './raw-undici.ts'
import { createReport } from './report.ts'
import { reportRetention } from './retention.ts'
import { reportScale } from './scale.ts'
import { reportSingles } from './singles.ts'
import { FULL, QUICK } from './sizes.ts'
import { reportSoak } from './soak.ts'
import { reportStreaming } from './streaming.ts'
import { reportTemplates } from './templates.ts'
import { reportUnresponsive } from './unresponsive.ts'

/**
 * `npm run bench` measures Posthorn on this machine, with its own Postgres and a TLS receiver in another process. Compare
 * the ratios within one run; `docs/reference/performance.md` explains how to read them.
 */
const SCENARIOS = {
  A: reportRawUndici,
  B: reportNoOpJobs,
  C: reportDrains,
  D: reportPublishing,
  E: reportLatency,
  F: reportFairness,
  G: reportMemory,
  H: reportWorkers,
  L: reportUnresponsive,
  M: reportOneProcess,
  P: reportPages,
  Q: reportFilters,
  S: reportSingles,
  T: reportNeighbors,
  U: reportTemplates,
  V: reportAfterVacuum,
  W: reportEndpoints,
  X: reportStreaming,
} satisfies Record<string, (bench: Bench) => Promise<void>>

/** With `--scale`, instead of the others: they need much time and disk. */
const SCALE_SCENARIOS = {
  N: reportScale,
  O: reportDeletion,
  R: reportRetention,
  Y: reportErasure,
} satisfies Record<string, (bench: Bench) => Promise<void>>

const { values } = parseArgs({
  options: {
    /** Print one JSON value on standard output. */
    json: { type: 'boolean', default: false },
    /** Letters of scenarios, such as A,C,E. Default: all. */
    only: { type: 'string' },
    /** What large numbers of deliveries and webhooks cost. */
    scale: { type: 'boolean', default: false },
    /** Instead of the others: half the rate for a long time. */
    soak: { type: 'boolean', default: false },
    /** How long the soak takes. */
    minutes: { type: 'string', default: '30' },
    /** Events per second of the soak. Default: half of what a worker delivers. */
    rate: { type: 'string' },
    /** Small sizes, to check that everything works. */
    quick: { type: 'boolean', default: false },
    /** The number of deliveries of a short drain. */
    count: { type: 'string' },
    /** The number of deliveries of the long drain, of those waiting during a short one, of those stored for pages, and the most with --scale. */
    stored: { type: 'string' },
    /** The URL of another Postgres to measure with. It must be idle and disposable. */
    database: { type: 'string' },
    /** A folder for CPU profiles of the Posthorn processes; profiling slows the measurements down. */
    profile: { type: 'string' },
  },
})
const base = values.quick ? QUICK : FULL
const sizes = {
  ...base,
  count: Number(values.count ?? base.count),
  stored: Number(values.stored ?? base.stored),
  scaleStored: Number(values.stored ?? base.scaleStored),
}
const soak = {
  minutes: Number(values.minutes),
  perSecond: values.rate === undefined ? null : Number(values.rate),
}
const SOAK_SCENARIOS = { K: (bench: Bench) => reportSoak(bench, soak) }
const scenarios: Record<string, (bench: Bench) => Promise<void>> = values.scale
  ? SCALE_SCENARIOS
  : values.soak
    ? SOAK_SCENARIOS
    : SCENARIOS
const selected = values.only?.toUpperCase().split(',') ?? Object.keys(scenarios)
const unknown = selected.filter((letter) => !(letter in scenarios))
const numbers = [sizes.count, sizes.stored, soak.minutes, soak.perSecond ?? 1]
if (unknown.length > 0 || !numbers.every((number) => number > 0)) {
  console.error(
    `Give --only letters of ${Object.keys(scenarios).join(', ')}, and --count, --stored, --minutes and --rate numbers above 0.`,
  )
  process.exit(2)
}

const startedAt = performance.now()
const report = createReport(values.json)
{
  await using resources = new AsyncDisposableStack()
  const starting = startBenchServer(values.database)
  process.once('SIGINT', () => abort(starting, 130))
  process.once('SIGTERM', () => abort(starting, 143))
  process.on('uncaughtException', (error) => {
    console.error(error)
    abort(starting, 1)
  })
  const server = resources.use(await starting)
  const receiver = resources.use(await startBenchReceiver())
  const profileFolder = values.profile ?? null
  const bench: Bench = { server, receiver, sizes, profileFolder, report: report.add }
  for (const [letter, run] of Object.entries(scenarios)) {
    if (selected.includes(letter)) await run(bench)
  }
}
report.end(performance.now() - startedAt)

/** Kills all child processes and Postgres, and exits. Errors of the aborted measurement are ignored. */
async function abort(starting: Promise<BenchServer>, exitCode: number): Promise<void> {
  process.removeAllListeners('uncaughtException').on('uncaughtException', () => {})
  killChildren()
  const server = await starting.catch(() => null)
  await server?.[Symbol.asyncDispose]()
  process.exit(exitCode)
}
