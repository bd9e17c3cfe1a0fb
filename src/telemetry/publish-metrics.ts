import { Counter, Histogram, type Registry } from 'prom-client'

interface Published {
  readonly deliveryCount: number
  readonly duplicate: boolean
}

/** Returns a function that publishes as `publish` does, and counts. */
export function measurePublishing<Args extends unknown[], Event extends Published>(
  registry: Registry,
  publish: (...args: Args) => Promise<Event[]>,
): (...args: Args) => Promise<Event[]> {
  const registers = [registry]
  const events = new Counter({
    name: 'posthorn_events_published_total',
    help: 'Events that this process stored. Those that SQL publishes do not pass through a process.',
    registers,
  })
  const duplicates = new Counter({
    name: 'posthorn_events_duplicate_total',
    help: 'Published events whose idempotency key had been used before, so that nothing was stored.',
    registers,
  })
  const deliveries = new Counter({
    name: 'posthorn_deliveries_created_total',
    help: 'Deliveries of the events that this process stored, also those that a job creates later.',
    registers,
  })
  const duration = new Histogram({
    name: 'posthorn_publish_duration_seconds',
    help: 'Durations of calls that published, from the check of their events to the commit.',
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  })
  return async (...args) => {
    const startedAtMs = performance.now()
    const published = await publish(...args)
    duration.observe((performance.now() - startedAtMs) / 1_000)
    const duplicateCount = published.filter(({ duplicate }) => duplicate).length
    events.inc(published.length - duplicateCount)
    duplicates.inc(duplicateCount)
    deliveries.inc(published.reduce((sum, { deliveryCount }) => sum + deliveryCount, 0))
    return published
  }
}
