import { Counter, type Registry } from 'prom-client'

export interface SweepMetrics {
  swept(kind: 'restored' | 'canceled', count: number): void
}

export function createSweepMetrics(registry: Registry): SweepMetrics {
  const swept = new Counter({
    name: 'posthorn_swept_deliveries_total',
    help: 'Deliveries that a sweep repaired: restored a missing job, or canceled because an operator permanently failed the job. Restored ones indicate a bug unless somebody completed or deleted jobs.',
    labelNames: ['kind'],
    registers: [registry],
  })
  swept.inc({ kind: 'restored' }, 0)
  swept.inc({ kind: 'canceled' }, 0)
  return { swept: (kind, count) => swept.inc({ kind }, count) }
}
