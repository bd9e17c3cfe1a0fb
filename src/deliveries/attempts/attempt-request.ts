import { publicId } from '../../db/ids.ts'

interface Header {
  readonly name: string
  readonly value: string
}

/** What an attempt's row, and its delivery's event, tell of the request that was made. */
export interface AttemptRequestFacts {
  readonly deliveryId: string
  readonly startedAt: Date
  readonly requestHeaderNames: readonly string[] | null
  readonly requestHeaderPrefix: string | null
  readonly requestUserAgent: string | null
  readonly requestSignature: string | null
  /** Missing once the event is past its retention. */
  readonly traceParent: string | null | undefined
}

/** Stands for the value of a custom header, which may be a credential. */
const MASK = '•••'

/**
 * The headers that Posthorn put on an attempt, in the order they were sent; those of the connection itself (`host`,
 * `content-length`) are not among them. The values of custom headers are kept nowhere, as they may be credentials.
 */
export function attemptRequestHeaders(facts: AttemptRequestFacts): Header[] {
  const prefix = facts.requestHeaderPrefix ?? 'wh-'
  const timestamp = Math.floor(facts.startedAt.getTime() / 1_000)
  const headers: Header[] = []
  const add = (name: string, value: string | null | undefined) => {
    if (value != null) headers.push({ name, value })
  }
  add('user-agent', facts.requestUserAgent)
  add('accept-encoding', 'identity')
  for (const name of facts.requestHeaderNames ?? []) add(name, MASK)
  add('content-type', 'application/json')
  add(`${prefix}id`, publicId('delivery', facts.deliveryId))
  add(`${prefix}timestamp`, String(timestamp))
  add(`${prefix}signature`, facts.requestSignature)
  add('traceparent', facts.traceParent)
  return headers
}
