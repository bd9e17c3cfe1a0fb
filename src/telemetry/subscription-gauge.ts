import type { Registry } from 'prom-client'
import { addGauge } from './metrics.ts'

export function addSubscriptionGauge(registry: Registry, live: { readonly size: number }): void {
  addGauge(registry, 'posthorn_subscriptions', 'Open subscriptions.', () => live.size)
}
