import type { KeyObject } from 'node:crypto'
import { signDelivery } from '../../receiver/sign.ts'
import type { TraceContext } from '../../telemetry/trace-context.ts'
import type { Signing } from '../../webhooks/signatures/signing.ts'

/** The names of the headers that Posthorn adds to each delivery. */
export interface DeliveryHeaderNames {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  /** Only of test deliveries: `true`. */
  readonly test: string
}

export function deliveryHeaderNames(prefix: string): DeliveryHeaderNames {
  return {
    id: `${prefix}id`,
    timestamp: `${prefix}timestamp`,
    signature: `${prefix}signature`,
    test: `${prefix}test`,
  }
}

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly signature: string
  /** The id, the timestamp and the signatures, if they are not those of the contract alone. */
  readonly signatureHeaders: readonly (readonly [string, string])[] | null
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
  /** Null: the signature of the contract alone. */
  readonly signing: Signing | null
  readonly startedAt: Date
}

export function signRequest(
  names: DeliveryHeaderNames,
  key: KeyObject,
  { ownTrace, messageId, delivery, body, customHeaders, signing, startedAt }: UnsignedRequest,
): SignedRequest {
  const { isTest } = delivery
  const timestamp = String(Math.floor(startedAt.getTime() / 1_000))
  const ofContract = signDelivery(key, messageId, timestamp, body)
  const other = signing && signOtherwise(names, signing, ofContract, { messageId, timestamp, body })
  const signature = other?.signature ?? ofContract
  const trace = ownTrace ?? delivery
  const own: Record<string, string> = other
    ? { 'content-type': 'application/json', ...Object.fromEntries(other.headers) }
    : {
        'content-type': 'application/json',
        [names.id]: messageId,
        [names.timestamp]: timestamp,
        [names.signature]: signature,
      }
  if (trace.traceParent !== null) {
    own['traceparent'] = trace.traceParent
    if (trace.traceState !== null) own['tracestate'] = trace.traceState
  }
  const custom = omitOverridden(own, names.test, customHeaders)
  const customHeaderNames = Object.keys(custom)
  const headers = customHeaderNames.length === 0 ? own : { ...custom, ...own }
  const extraHeaderNames = isTest ? [...customHeaderNames, names.test] : customHeaderNames
  if (isTest) headers[names.test] = 'true'
  const ownTraceParent = ownTrace?.traceParent ?? null
  const signatureHeaders = other?.headers ?? null
  return { headers, body, signature, signatureHeaders, extraHeaderNames, ownTraceParent }
}

interface Content {
  readonly messageId: string
  readonly timestamp: string
  readonly body: Buffer
}

/** The id, the timestamp and the signatures of a webhook that is signed otherwise than by the contract. */
function signOtherwise(
  { id, timestamp, signature }: DeliveryHeaderNames,
  signing: Signing,
  ofContract: string,
  content: Content,
) {
  const { messageId, body } = content
  const names = signing.names ?? { id, timestamp, signature }
  const now = Date.now()
  const previous = signing.previousKeys
    .filter(({ expiresAt }) => expiresAt > now)
    .map(({ key }) => signDelivery(key, messageId, content.timestamp, body))
  const signatures = [ofContract, ...previous].join(' ')
  const headers: [string, string][] = [
    [names.id, messageId],
    [names.timestamp, content.timestamp],
    [names.signature, signatures],
  ]
  const { second } = signing
  if (second) headers.push([second.header, second.sign(messageId, content.timestamp, body)])
  return { signature: signatures, headers }
}

/**
 * A receiver joins the values of a repeated header, in any case of its name, so the signature would not verify. Only
 * Posthorn marks a test.
 */
function omitOverridden(
  own: Readonly<Record<string, string>>,
  test: string,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (Object.keys(headers).length === 0) return headers
  // The names that a webhook chooses can have capitals.
  const ownNames = new Set(Object.keys(own).map((name) => name.toLowerCase()))
  const isOwn = (name: string) => {
    const lower = name.toLowerCase()
    return lower === test || ownNames.has(lower)
  }
  if (!Object.keys(headers).some(isOwn)) return headers
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isOwn(name)))
}
