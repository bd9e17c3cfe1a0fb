import { cpus } from 'node:os'
import { reportRows } from './print.ts'
import type { Report } from './suite.ts'

interface Run extends Report {
  readonly seed: number
  readonly perSecond: number
}

/** The report of a run, in Markdown. */
export function describeRun(run: Run): string {
  const { seed, perSecond, rounds, tookMs, notInjected, violations } = run
  const machine = `${cpus().length} cores, Node ${process.versions.node}`
  const list = (lines: readonly string[]) => lines.map((line) => `- ${line}`)
  return [
    `# ${rounds.length} rounds of faults in ${Math.round(tookMs / 60_000)} minutes`,
    '',
    `Seed ${seed}, ${perSecond} events per second, ${machine}.`,
    '',
    '| | |',
    '| --- | ---: |',
    ...reportRows(run).map(([name, value]) => `| ${name.trim()} | ${format(value)} |`),
    '',
    '| fault | injected |',
    '| --- | ---: |',
    ...countFaults(run).map(([name, count]) => `| ${name} | ${count} |`),
    ...(notInjected.length > 0 ? ['', 'Not injected:', '', ...list(notInjected)] : []),
    ...(violations.length > 0 ? ['', 'Violations:', '', ...list(violations)] : []),
    '',
  ].join('\n')
}

/** How often each fault was injected. */
function countFaults({ rounds }: Run): [string, number][] {
  const counts = new Map<string, number>()
  for (const name of rounds.flatMap(({ faults }) => faults))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a.localeCompare(b))
}

const format = (value: string | number) =>
  typeof value === 'number' ? value.toLocaleString('en') : value
