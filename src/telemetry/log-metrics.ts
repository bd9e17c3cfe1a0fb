import { Counter, type Registry } from 'prom-client'

const LEVELS = ['warn', 'error', 'fatal'] as const

/** Counts the lines of a logger that somebody should read. */
export function countLines(registry: Registry): (level: string) => void {
  const lines = new Counter({
    name: 'posthorn_log_lines_total',
    help: 'Log lines at the levels warn, error and fatal.',
    labelNames: ['level'],
    registers: [registry],
  })
  for (const level of LEVELS) lines.inc({ level }, 0)
  return (level) => {
    if (LEVELS.some((counted) => counted === level)) lines.inc({ level })
  }
}
