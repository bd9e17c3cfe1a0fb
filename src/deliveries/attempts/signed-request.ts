import type { KeyObject } from 'node:crypto'
import { signDelivery } from '../../../packages/receiver/src/sign.ts'
import type { TraceContext } from '../../telemetry/tracing.ts'

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly signature: string
  /** The names of the custom headers, and of the header that marks a test. */
  readonly extraHeaderNames: readonly string[]
  /** The `traceparent` of the attempt. Null: that of the event. */
  readonly ownTraceParent: string | null
}

interface UnsignedRequest {
  /** The context of the span of the attempt, in place of that of the event. */
  readonly ownTrace: TraceContext | null
  /** The value of the header with the id. */
  readonly messageId: string
  readonly delivery: {
    readonly isTest: boolean
    readonly traceParent: string | null
    readonly traceState: string | null
  }
  readonly body: Buffer
  readonly customHeaders: Readonly<Record<string, string>>
  /** The prefix of the headers of the id, the timestamp and the signature. Null: that of the installation. */
  readonly headerPrefix: string | null
  readonly startedAt: Date
}

/** `installationPrefix` is that of the header that marks a test, too. */
export function signRequest(
  installationPrefix: string,
  key: KeyObject,
  { ownTrace, messageId, delivery, body, customHeaders, headerPrefix, startedAt }: UnsignedRequest,
): SignedRequest {
  const { isTest } = delivery
  const prefix = headerPrefix ?? installationPrefix
  const testHeader = `${installationPrefix}test`
  const seconds = String(Math.floor(startedAt.getTime() / 1_000))
  const signed = signDelivery(key, messageId, seconds, body)
  const trace = ownTrace ?? delivery
  const own: Record<string, string> = {
    'content-type': 'application/json',
    [`${prefix}id`]: messageId,
    [`${prefix}timestamp`]: seconds,
    [`${prefix}signature`]: signed,
  }
  if (trace.traceParent !== null) {
    own['traceparent'] = trace.traceParent
    if (trace.traceState !== null) own['tracestate'] = trace.traceState
  }
  // A receiver joins the values of a repeated header, in any case of its name, so the signature would not verify. Only
  // Posthorn marks a test.
  const custom = Object.entries(customHeaders).filter(([name]) => {
    const lower = name.toLowerCase()
    return lower !== testHeader && !Object.hasOwn(own, lower)
  })
  const mark = isTest ? { [testHeader]: 'true' } : {}
  const headers = { ...Object.fromEntries(custom), ...own, ...mark }
  const extraHeaderNames = [...custom.map(([name]) => name), ...Object.keys(mark)]
  const ownTraceParent = ownTrace?.traceParent ?? null
  return { headers, body, signature: signed, extraHeaderNames, ownTraceParent }
}
