import { Histogram, type Registry } from 'prom-client'
import { addCounter } from './counters.ts'

interface Published {
  readonly deliveryCount: number
  readonly duplicate: boolean
}

/** Returns a function that publishes as `publish` does, and counts. */
export function measurePublishing<Args extends unknown[], Event extends Published>(
  registry: Registry,
  publish: (...args: Args) => Promise<Event[]>,
): (...args: Args) => Promise<Event[]> {
  const countPublished = addCounter(registry, 'events_published')
  const countDuplicates = addCounter(registry, 'events_duplicate')
  const countDeliveries = addCounter(registry, 'deliveries_created')
  const duration = new Histogram({
    name: 'posthorn_publish_duration_seconds',
    help: 'Durations of calls that published, from the check of their events to the commit.',
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
  return async (...args) => {
    const startedAtMs = performance.now()
    const published = await publish(...args)
    duration.observe((performance.now() - startedAtMs) / 1_000)
    const duplicateCount = published.filter(({ duplicate }) => duplicate).length
    countPublished(published.length - duplicateCount)
    countDuplicates(duplicateCount)
    countDeliveries(published.reduce((sum, { deliveryCount }) => sum + deliveryCount, 0))
    return published
  }
}
