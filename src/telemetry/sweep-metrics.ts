import { Counter, type Registry } from 'prom-client'

const KINDS = ['restored', 'canceled', 'reopened'] as const
export type SweptKind = (typeof KINDS)[number]

export interface SweepMetrics {
  swept(kind: SweptKind, count: number): void
}

export function createSweepMetrics(registry: Registry): SweepMetrics {
  const swept = new Counter({
    name: 'posthorn_swept_deliveries_total',
    help: 'Deliveries that were corrected after a change of their jobs: restored a missing job, canceled because an operator permanently failed the job, or reopened because an operator rescheduled the job of an exhausted delivery. Restored ones indicate a bug unless somebody completed or deleted jobs.',
    labelNames: ['kind'],
    registers: [registry],
  })
  for (const kind of KINDS) swept.inc({ kind }, 0)
  return { swept: (kind, count) => swept.inc({ kind }, count) }
}
