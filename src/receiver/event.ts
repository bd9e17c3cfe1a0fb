/**
 * The body of a delivery. Give your own types to it, one for each event type that the webhook subscribes to:
 *
 * ```ts
 * type OrderEvent = WebhookEvent<'order.paid', Order> | WebhookEvent<'order.refunded', Refund>
 * const delivery = await verifyRequest<OrderEvent>(request, { secret })
 * ```
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
