import { parseArgs } from 'node:util'
import { printReport, printRound } from './print.ts'
import { runSuite } from './suite.ts'

/*
 * `npm run test:long`: injects faults into real processes under load, one in each round, or with `--minutes` several at a
 * time. Exits with 1 if a guarantee of docs/concepts/reliability.md is violated.
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    rate: { type: 'string', default: '200' },
    only: { type: 'string' },
    logs: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const numbers = {
  rounds: Number(values.rounds),
  minutes: Number(values.minutes ?? 1),
  seed: Number(values.seed),
  rate: Number(values.rate),
}
for (const [name, value] of Object.entries(numbers)) {
  if (!(value > 0)) throw new Error(`--${name}: give a number above 0.`)
}
const { rounds, minutes, seed, rate: perSecond } = numbers
const length = values.minutes === undefined ? { rounds } : { minutes }
const [[unit, count] = []] = Object.entries(length)
if (!values.json) process.stdout.write(`${count} ${unit}, seed ${seed}\n`)
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
const report = await runSuite({
  ...{ length, seed, perSecond, signal: interrupted.signal },
  ...(values.only !== undefined && { only: values.only }),
  ...(values.logs !== undefined && { logs: values.logs }),
  ...(!values.json && { onRound: printRound }),
})
if (values.json)
  process.stdout.write(`${JSON.stringify({ ...length, seed, perSecond, ...report })}\n`)
else printReport(report)
// After thousands of cut connections, Node may wait forever for handles to close.
process.exit(report.violations.length > 0 ? 1 : 0)
