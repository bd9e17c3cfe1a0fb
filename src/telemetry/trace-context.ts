import { createTraceState, type SpanContext } from '@opentelemetry/api'

/** The headers of W3C Trace Context. */
export interface TraceContext {
  readonly traceParent: string
  readonly traceState: string | null
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Null if there is no valid `traceparent`. A later version of it is read as version 00, and may have further fields. */
export function toSpanContext(
  traceParent: string | null | undefined,
  traceState: string | null | undefined,
): SpanContext | null {
  const [, version, traceId, spanId, flags, more] = TRACE_PARENT.exec(traceParent ?? '') ?? []
  if (version === 'ff' || (version === '00' && more !== undefined)) return null
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(traceState && { traceState: createTraceState(traceState) }),
  }
}

export function toTraceContext({
  traceId,
  spanId,
  traceFlags,
  traceState,
}: SpanContext): TraceContext {
  const flags = traceFlags.toString(16).padStart(2, '0')
  return {
    traceParent: `00-${traceId}-${spanId}-${flags}`,
    traceState: traceState?.serialize() || null,
  }
}
