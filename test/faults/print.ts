import type { RoundResult } from './round.ts'
import type { Report } from './suite.ts'

export function printRound(round: RoundResult): void {
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  const columns = [
    String(round.number).padStart(3),
    round.faults.join(', ').padEnd(40),
    `down ${seconds(round.downMs)}`.padEnd(12),
    `accepts after ${seconds(round.acceptedAfterMs)}`.padEnd(22),
    `settled after ${seconds(round.settledAfterMs)}`,
    ...round.violations,
  ]
  print(columns.join('  '))
}

export function printReport(report: Report): void {
  print('')
  for (const [name, value] of reportRows(report))
    print(`${name.padEnd(36)}${String(value).padStart(10)}`)
  for (const reason of report.notInjected) print(`Not injected: ${reason}`)
  for (const violation of report.violations) print(`- ${violation}`)
}

/** The figures of a report, with their names. */
function reportRows(report: Report): [string, string | number][] {
  return [
    ['rounds', report.rounds.length],
    ['faults injected', report.rounds.reduce((sum, { faults }) => sum + faults.length, 0)],
    ['events accepted', report.accepted],
    ['events rejected', report.rejected],
    ['requests answered 503', report.unavailable],
    ['requests whose connection broke', report.broken],
    ['slowest 503 (ms)', Math.round(report.slowest503Ms)],
    ['starts without Postgres', report.failedStarts],
    ['deliveries that arrived', report.deliveries],
    ['requests that arrived', report.arrivals],
    ['deliveries missing', report.missing],
    ['recorded as succeeded', report.succeeded],
    ['  with no 2xx sent', report.unacknowledged],
    ['arrived again after a 2xx', report.duplicates],
    ['  at most, by attempts in flight', report.maxDuplicates],
    ['violations', report.violations.length],
  ]
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
