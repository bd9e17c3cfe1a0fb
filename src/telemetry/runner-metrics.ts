import { Counter, type Registry } from 'prom-client'

/** Returns what counts one replacement. */
export function countReplacements(registry: Registry): () => void {
  const replacements = new Counter({
    name: 'posthorn_runner_replacements_total',
    help: 'Runners of graphile-worker that failed or claimed no jobs, and were replaced.',
    registers: [registry],
  })
  return () => replacements.inc()
}
