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
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** At most `MAX_BODY_BYTES` of it. */
  readonly body: string
  readonly bodyTruncated: boolean
  readonly signatureIsValid: boolean
  /** Why the signature is not valid. */
  readonly signatureProblem: string | null
  /** Null while there is no response, and without one. */
  readonly status: number | null
}

/** What the test receiver keeps for an organization, in memory. */
export interface Inbox {
  behavior: ResponseBehavior
  /** Newest first. */
  requests: readonly ReceivedRequest[]
}

export const MAX_REQUESTS = 100
export const MAX_BODY_BYTES = 65_536
const MAX_ORGANIZATIONS = 100

/** The inboxes by the uuid of their organization. The one that was created first makes room. */
export function createInboxes() {
  const inboxes = new Map<string, Inbox>()
  return function inboxOf(organizationId: string): Inbox {
    const known = inboxes.get(organizationId)
    if (known) return known
    const inbox: Inbox = { behavior: ACCEPTING, requests: [] }
    inboxes.set(organizationId, inbox)
    if (inboxes.size > MAX_ORGANIZATIONS) inboxes.delete(inboxes.keys().next().value as string)
    return inbox
  }
}

export function addRequest(inbox: Inbox, request: ReceivedRequest): void {
  inbox.requests = [request, ...inbox.requests].slice(0, MAX_REQUESTS)
}

export function setStatus(inbox: Inbox, number: number, status: number): void {
  inbox.requests = inbox.requests.map((one) => (one.number === number ? { ...one, status } : one))
}
