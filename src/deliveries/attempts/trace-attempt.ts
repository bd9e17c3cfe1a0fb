import { publicId } from '../../db/ids.ts'
import {
  type OpenSpan,
  type TraceContext,
  type Tracing,
  toSpanContext,
} from '../../telemetry/tracing.ts'
import type { AttemptRecord, PlannedAttempt } from './attempt-record.ts'

/**
 * Runs an attempt in a span: a child of the span that published the event, which may have ended days ago, and linked to it.
 *  A path, a query or a header may be a credential, so no attribute has any of them.
 */
export async function traceAttempt<Result extends { readonly record: AttemptRecord } | string>(
  tracing: Tracing,
  plan: PlannedAttempt,
  attempt: (ownTrace: TraceContext | null) => Promise<Result>,
): Promise<Result> {
  const span = startSpan(tracing, plan)
  if (span === null) return await attempt(null)
  let record: AttemptRecord | null = null
  try {
    const result = await attempt(span.context)
    if (typeof result !== 'string') record = result.record
    return result
  } finally {
    endSpan(span, record)
  }
}

function startSpan(tracing: Tracing, { delivery, options }: PlannedAttempt): OpenSpan | null {
  return tracing.start('POST', {
    kind: 'client',
    parent: toSpanContext(delivery.traceParent, delivery.traceState),
    linksParent: true,
    attributes: () => ({
      'http.request.method': 'POST',
      ...addressOf(options.url),
      'messaging.system': 'posthorn',
      'messaging.operation.name': 'deliver',
      'messaging.destination.name': delivery.eventType,
      'messaging.message.id': publicId('event', delivery.eventId),
      'posthorn.delivery.id': publicId('delivery', delivery.id),
      'posthorn.webhook.id': publicId('webhook', delivery.webhookId),
      'posthorn.organization.id': publicId('organization', delivery.organizationId),
      'posthorn.attempt.number': delivery.attemptCount + 1,
    }),
  })
}

function addressOf(url: string) {
  const { hostname, port, protocol } = new URL(url)
  return {
    'url.scheme': protocol.slice(0, -1),
    'server.address': hostname,
    'server.port': Number(port || 443),
  }
}

/** Ends the span with the outcome; null: the attempt was aborted. */
function endSpan(span: OpenSpan, record: AttemptRecord | null): void {
  if (record === null) {
    span.end({}, 'aborted')
    return
  }
  const { status, errorCode, succeeded, resent } = record
  span.end(
    {
      ...(status !== null && { 'http.response.status_code': status }),
      ...(resent && { 'http.request.resend_count': 1 }),
    },
    succeeded ? null : (errorCode ?? String(status)),
  )
}
