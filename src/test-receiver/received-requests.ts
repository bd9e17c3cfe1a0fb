import { ACCEPTING, type ResponseBehavior } from './response-behavior.ts'

/** A request that arrived at the test receiver. */
export interface ReceivedRequest {
  /** Counts up within a process. */
  readonly number: number
  readonly receivedAt: Date
  /** The header `wh-id`, `msg_…`. */
  readonly deliveryId: string | null
  /** `wh_…`; null if the delivery is unknown. */
  readonly webhookId: string | null
  readonly headers: readonly ReceivedHeader[]
  /** At most `MAX_BODY_BYTES` of it. */
  readonly body: string
  readonly bodyTruncated: boolean
  readonly signatureIsValid: boolean
  /** Why the signature is not valid. */
  readonly signatureProblem: string | null
  /** Null while there is no response, and without one. */
  readonly status: number | null
}

export interface ReceivedHeader {
  readonly name: string
  readonly value: string
  /** Whether it is a custom header of the webhook, or may be one. Its value may be a credential. */
  readonly isCustom: boolean
}

/** What the test receiver keeps for an organization, in memory. */
export interface Inbox {
  behavior: ResponseBehavior
  /** Newest first. */
  requests: readonly ReceivedRequest[]
}

/** The inboxes of organizations that exist, by their uuid. */
export type Inboxes = Map<string, Inbox>

export const MAX_REQUESTS = 100
export const MAX_BODY_BYTES = 65_536
/** Of the requests of all organizations. */
export const MAX_BYTES = 32 * 2 ** 20

export function inboxOf(inboxes: Inboxes, organizationId: string): Inbox {
  const inbox = inboxes.get(organizationId) ?? { behavior: ACCEPTING, requests: [] }
  inboxes.set(organizationId, inbox)
  return inbox
}

/** Adds a request. An inbox with too many requests loses one; if all together are too large, the largest inbox does. */
export function addRequest(inboxes: Inboxes, inbox: Inbox, request: ReceivedRequest): void {
  inbox.requests = [request, ...inbox.requests]
  if (inbox.requests.length > MAX_REQUESTS) dropRequest(inbox)
  for (;;) {
    const sizes = [...inboxes.values()].map((one) => ({ inbox: one, bytes: bytesOf(one) }))
    const [largest] = sizes.toSorted((a, b) => b.bytes - a.bytes)
    if (!largest || sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_BYTES) return
    dropRequest(largest.inbox)
  }
}

/** Drops the oldest request that is not a genuine delivery, or else the oldest one. */
function dropRequest(inbox: Inbox): void {
  const forged = inbox.requests.findLastIndex(({ signatureIsValid }) => !signatureIsValid)
  inbox.requests = inbox.requests.toSpliced(forged, 1)
}

function bytesOf({ requests }: Inbox): number {
  const texts = requests.flatMap(({ body, headers }) => [
    body,
    ...headers.flatMap(({ name, value }) => [name, value]),
  ])
  // A string takes at most two bytes per UTF-16 code unit.
  return texts.reduce((sum, text) => sum + 2 * text.length, 0)
}

export function setStatus(inbox: Inbox, number: number, status: number): void {
  inbox.requests = inbox.requests.map((one) => (one.number === number ? { ...one, status } : one))
}
