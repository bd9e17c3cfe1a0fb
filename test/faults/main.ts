import { parseArgs } from 'node:util'
import { printReport, printRound } from './print.ts'
import { runSuite } from './suite.ts'

/*
 * `npm run test:long`: injects faults into real processes under load. Exits with 1 if a guarantee of docs/reliability.md
 * is violated.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    rate: { type: 'string', default: '200' },
    only: { type: 'string' },
    logs: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const options = {
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  perSecond: Number(values.rate),
}
for (const [name, value] of Object.entries(options)) {
  if (!(value > 0)) throw new Error(`--${name}: give a number above 0.`)
}
if (!values.json) process.stdout.write(`${options.rounds} rounds, seed ${options.seed}\n`)
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
const report = await runSuite({
  ...options,
  signal: interrupted.signal,
  ...(values.only !== undefined && { only: values.only }),
  ...(values.logs !== undefined && { logs: values.logs }),
  ...(!values.json && { onRound: printRound }),
})
if (values.json) process.stdout.write(`${JSON.stringify({ ...options, ...report })}\n`)
else printReport(report)
process.exitCode = report.violations.length > 0 ? 1 : 0
