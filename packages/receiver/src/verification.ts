/** The result of `verify`. Check `ok` before you use the delivery. */
export type Verification<Events = WebhookEvent> = VerifiedDelivery<Events> | RejectedDelivery

/** An authentic delivery: signed with one of your secrets, at most 300 seconds before or after the receiver's time. */
export interface VerifiedDelivery<Events = WebhookEvent> {
  readonly ok: true
  /**
   * The value of the `wh-id` header, `msg_…`. Delivery is at least once, and every retry has the same id: store the
   * ids you have processed, and answer a duplicate with 200 without processing it again (webhook contract, section 6).
   */
  readonly id: string
  /** When this attempt was sent (the `wh-timestamp` header), to the second. Each retry has a later timestamp. */
  readonly timestamp: Date
  /**
   * The index of the secret that matched, from 0; always 0 for a single secret. During a rotation, the index of the new
   * secret shows that Posthorn uses it and that you can remove the old one.
   */
  readonly secretIndex: number
  /**
   * Whether somebody sent this delivery to test the webhook (the header `wh-test: true`): no event occurred. Answer with
   * 2xx, but do not act on it as on an event. The signature does not cover the header.
   */
  readonly isTest: boolean
  /**
   * The body, which is parsed when you read this. Its type is not checked. Throws a `SyntaxError` if the body is not JSON.
   * Copies and logs of the delivery do not have it.
   */
  readonly event: EventOf<Events>
}

/** A delivery that failed verification. Treat it as hostile: do not use its body, and answer with 400. */
export interface RejectedDelivery {
  readonly ok: false
  readonly reason: RejectionReason
  /** For your log: what is wrong and what to check. It never contains a secret or a valid signature. */
  readonly message: string
}

/**
 * Why a delivery was rejected (webhook contract, section 7.2). Answer all of them with the same status, which must not
 * be 2xx; the reason is for your log.
 *
 * - `missing-header`: `wh-id`, `wh-timestamp` or `wh-signature` is missing or empty.
 * - `invalid-timestamp`: `wh-timestamp` is not a whole number of seconds in decimal digits.
 * - `timestamp-too-old`, `timestamp-too-new`: `wh-timestamp` is more than 300 seconds before or after the receiver's
 *   clock. The request is a replay, or a clock is wrong.
 * - `no-matching-signature`: none of the secrets gives one of the `v1` signatures for this id, timestamp and body. The
 *   request is forged, the secret belongs to another webhook, or the body is not the bytes as received.
 */
export type RejectionReason =
  | 'missing-header'
  | 'invalid-timestamp'
  | 'timestamp-too-old'
  | 'timestamp-too-new'
  | 'no-matching-signature'

/**
 * The body of a delivery. Give your own types to it, one for each event type that the webhook subscribes to:
 *
 * ```ts
 * type OrderEvent = WebhookEvent<'order.paid', Order> | WebhookEvent<'order.refunded', Refund>
 * const delivery = await verifyRequest<OrderEvent>(request, { secret })
 * ```
 *
 * Or one interface that has the type of `data` for each event type: `EventOf` makes the same union of it.
 *
 * The types are not checked: the sender may add properties and event types at any time.
 */
export interface WebhookEvent<Type extends string = string, Data = unknown> {
  /** The id of the event, `evt_…`, the same for all webhooks. To recognize a repeat, use the id of the delivery. */
  readonly id: string
  /** The name of the event type. */
  readonly type: Type
  /** When the event occurred: RFC 3339, in UTC. */
  readonly timestamp: string
  readonly data: Data
}

/**
 * The event of a delivery. `Events` has the type of `data` for each event type, such as `{ 'order.paid': Order }`: the event
 * is one of them, and `event.type` tells them apart. A type of events themselves, such as a `WebhookEvent`, stays as it is.
 */
export type EventOf<Events> = unknown extends Events
  ? Events
  : Events extends { readonly type: unknown }
    ? Events
    : { [Type in keyof Events & string]: WebhookEvent<Type, Events[Type]> }[keyof Events & string]
