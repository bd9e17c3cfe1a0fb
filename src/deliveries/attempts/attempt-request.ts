import { publicId } from '../../db/ids.ts'

interface Header {
  readonly name: string
  readonly value: string
}

/** The columns of an attempt, and of its event, that its request headers are rebuilt from. */
export interface AttemptRequestColumns {
  readonly deliveryId: string
  readonly startedAt: Date
  readonly requestHeaderNames: readonly string[] | null
  readonly requestHeaderPrefix: string | null
  readonly requestUserAgent: string | null
  readonly requestSignature: string | null
  /** Undefined once the delivery is past its retention. */
  readonly isTest: boolean | undefined
  /** Undefined once the event is past its retention. */
  readonly traceParent: string | null | undefined
  readonly traceState: string | null | undefined
}

/** Replaces the value of a custom header, which can be a credential. */
const MASK = '•••'

/**
 * The headers that Posthorn set on an attempt, in the order they were sent, without those of the connection (`host`,
 * `content-length`). The values of custom headers are masked: they can be credentials, so no attempt stores them.
 */
export function attemptRequestHeaders(attempt: AttemptRequestColumns): Header[] {
  const prefix = attempt.requestHeaderPrefix ?? 'wh-'
  const timestamp = Math.floor(attempt.startedAt.getTime() / 1_000)
  const headers: Header[] = []
  const add = (name: string, value: string | null | undefined) => {
    if (value != null) headers.push({ name, value })
  }
  add('user-agent', attempt.requestUserAgent)
  add('accept-encoding', 'identity')
  // The mark of a test comes last, and has the prefix of the installation.
  const mark = attempt.isTest ? attempt.requestHeaderNames?.at(-1) : undefined
  for (const name of attempt.requestHeaderNames ?? []) add(name, name === mark ? 'true' : MASK)
  add('content-type', 'application/json')
  add(`${prefix}id`, publicId('delivery', attempt.deliveryId))
  add(`${prefix}timestamp`, String(timestamp))
  add(`${prefix}signature`, attempt.requestSignature)
  add('traceparent', attempt.traceParent)
  if (attempt.traceParent != null) add('tracestate', attempt.traceState)
  return headers
}
