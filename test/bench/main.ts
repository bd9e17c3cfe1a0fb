import { parseArgs } from 'node:util'
import { type Bench, FULL, QUICK } from './bench.ts'
import { startBenchReceiver } from './bench-receiver.ts'
import { type BenchServer, startBenchServer } from './bench-server.ts'
import { reportDrains, reportRawUndici, reportWorkers } from './drains.ts'
import { reportEndpoints } from './latency.ts'
import { reportOneProcess } from './one-process.ts'
import { installPosthorn } from './posthorn-server.ts'
import { reportPublishing } from './publishing.ts'
import { createReport } from './report.ts'
import { killChildren } from './script-process.ts'

/**
 * `npm run bench` measures Posthorn on this machine, with its own Postgres and a TLS receiver in another process. Compare
 * the ratios within one run; `docs/operate/sizing.md` explains how to read them.
 */
const SCENARIOS = {
  A: reportRawUndici,
  C: reportDrains,
  D: reportPublishing,
  H: reportWorkers,
  M: reportOneProcess,
  W: reportEndpoints,
} satisfies Record<string, (bench: Bench) => Promise<void>>

const { values } = parseArgs({
  options: {
    /** Letters of scenarios, such as A,C,D. Default: all. */
    only: { type: 'string' },
    /** Small sizes, to check that everything works. */
    quick: { type: 'boolean', default: false },
  },
})
const sizes = values.quick ? QUICK : FULL
const selected = values.only?.toUpperCase().split(',') ?? Object.keys(SCENARIOS)
const unknown = selected.filter((letter) => !(letter in SCENARIOS))
if (unknown.length > 0) {
  console.error(`Give --only letters of ${Object.keys(SCENARIOS).join(', ')}.`)
  process.exit(2)
}

const startedAt = performance.now()
const report = createReport()
{
  await using resources = new AsyncDisposableStack()
  const starting = startBenchServer()
  process.once('SIGINT', () => abort(starting, 130))
  process.once('SIGTERM', () => abort(starting, 143))
  process.on('uncaughtException', (error) => {
    console.error(error)
    abort(starting, 1)
  })
  const server = resources.use(await starting)
  await installPosthorn()
  const receiver = resources.use(await startBenchReceiver())
  const bench: Bench = { server, receiver, sizes, report: report.add }
  for (const [letter, run] of Object.entries(SCENARIOS)) {
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
