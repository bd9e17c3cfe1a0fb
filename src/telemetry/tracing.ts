import {
  type Attributes,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { VERSION } from '../lib/version.ts'

/** Records spans with the OpenTelemetry API. */
export interface Tracing {
  /** Whether an SDK is registered. */
  readonly isOn: boolean
  /** Null if tracing is off. */
  start(name: string, options: SpanOptions): OpenSpan | null
}

interface SpanOptions {
  readonly kind: 'producer' | 'client'
  readonly parent: SpanContext | null
  /** Also links the span to its parent, which may be long ago. */
  readonly linksParent?: boolean
  /** Called only if the span is recorded. */
  readonly attributes: () => Attributes
}

export interface OpenSpan {
  /** For the next program. It is also there if the span is not recorded. */
  readonly context: TraceContext
  /** `errorType` is null after a success. */
  end(attributes: Attributes, errorType: string | null): void
}

const KINDS = { producer: SpanKind.PRODUCER, client: SpanKind.CLIENT }

export function createTracing(): Tracing {
  let registered: Tracer | null | undefined
  const tracer = () => {
    if (registered === undefined) registered = findTracer()
    return registered
  }
  return {
    get isOn() {
      return tracer() !== null
    },
    start(name, { kind, parent, linksParent = false, attributes }) {
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
      const links = parent && linksParent ? [{ context: parent }] : []
      const span = tracer()?.startSpan(name, { kind: KINDS[kind], links }, context)
      if (!span) return null
      if (span.isRecording()) span.setAttributes(attributes())
      return {
        context: toTraceContext(span.spanContext()),
        end(attributes, errorType) {
          span.setAttributes(attributes)
          if (errorType !== null) {
            span.setAttribute('error.type', errorType)
            span.setStatus({ code: SpanStatusCode.ERROR })
          }
          span.end()
        },
      }
    },
  }
}

/** Without an SDK, the API gives spans without ids. */
function findTracer(): Tracer | null {
  const tracer = trace.getTracer('posthorn', VERSION)
  const probe = tracer.startSpan('probe', { root: true })
  return isSpanContextValid(probe.spanContext()) ? tracer : null
}

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
  const context = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(traceState && { traceState: createTraceState(traceState) }),
  }
  // Neither id may be zero.
  return isSpanContextValid(context) ? context : null
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
