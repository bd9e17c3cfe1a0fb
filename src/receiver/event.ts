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
