import { DomainError } from '../lib/errors.ts'
import { currentTraceContext } from '../telemetry/request-log.ts'
import { type OpenSpan, type Tracing, toSpanContext } from '../telemetry/tracing.ts'
import type { NewEvent } from './new-event.ts'
import type { PublishEvents } from './publish-events.ts'

/** Publishes as `publish` does, with a span for each event, whose context the event then has. */
export function tracePublishing(tracing: Tracing, publish: PublishEvents): PublishEvents {
  return async (organizationId, events) => {
    if (!tracing.isOn) return await publish(organizationId, events)
    const spans = events.map((event) => startSpan(tracing, event))
    const traced = events.map((event, i) => ({ ...event, ...spans[i]?.context }))
    try {
      const published = await publish(organizationId, traced)
      for (const [i, { id, deliveryCount }] of published.entries()) {
        const attributes = { 'messaging.message.id': id, 'posthorn.deliveries': deliveryCount }
        spans[i]?.end(attributes, null)
      }
      return published
    } catch (error) {
      const errorType = error instanceof DomainError ? error.code : 'internal'
      for (const span of spans) span?.end({}, errorType)
      throw error
    }
  }
}

/** The parent is what the event names, or else the request. Null without tracing. */
function startSpan(tracing: Tracing, event: NewEvent): OpenSpan | null {
  const request = currentTraceContext()
  const own = event.traceParent ?? null
  const parent =
    own === null
      ? toSpanContext(request?.traceParent, request?.traceState)
      : toSpanContext(own, event.traceState)
  // Rejected when the event is checked.
  if (own !== null && parent === null) return null
  const type = event.type.slice(0, 128)
  return tracing.start(`publish ${type}`, {
    kind: 'producer',
    parent,
    attributes: () => ({
      'messaging.system': 'posthorn',
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      'messaging.destination.name': type,
    }),
  })
}
