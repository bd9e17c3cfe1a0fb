import {
  type Attributes,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { VERSION } from '../lib/version.ts'
import { type TraceContext, toTraceContext } from './trace-context.ts'

/** Records spans with the OpenTelemetry API. */
export interface Tracing {
  /** Null unless an SDK is registered. */
  start(name: string, options: SpanOptions): OpenSpan | null
}

export interface SpanOptions {
  readonly kind: 'producer' | 'client'
  readonly parent: SpanContext | null
  /** Also links the span to its parent, which may be long ago. */
  readonly linksParent?: boolean
  readonly attributes: Attributes
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
  return {
    start(name, { kind, parent, linksParent = false, attributes }) {
      if (registered === undefined) registered = findTracer()
      if (registered === null) return null
      const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT
      const links = parent && linksParent ? [{ context: parent }] : []
      const span = registered.startSpan(name, { kind: KINDS[kind], attributes, links }, context)
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
