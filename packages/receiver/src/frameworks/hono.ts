/**
 * A receiver for Hono 4, on every runtime that Hono supports.
 *
 * @packageDocumentation
 */

import type { FetchRequest } from '../fetch-body.ts'
import type { WebhookEvent } from '../verification.ts'
import { fetchReceiver } from './fetch-receiver.ts'
import type { DeliveryHandler, ReceiverOptions } from './receive.ts'

export type { DeliveryHandler, ReceiverOptions } from './receive.ts'

/** What the receiver uses of a context of Hono. */
export interface HonoContext {
  readonly req: { readonly raw: FetchRequest }
}

/**
 * A handler that verifies a delivery, and calls `handler` once for each. Errors go to `app.onError`.
 *
 * @example
 * ```ts
 * app.post('/webhooks', receiver({ secret: process.env.WEBHOOK_SECRET }, async ({ event }) => {
 *   await storeEvent(event)
 * }))
 * ```
 */
export function receiver<Event = WebhookEvent, Context extends HonoContext = HonoContext>(
  options: ReceiverOptions<Context>,
  handler: DeliveryHandler<Event, Context>,
): (context: Context) => Promise<Response> {
  return fetchReceiver(options, handler, (context) => context.req.raw, REMEDY)
}

const REMEDY =
  "register the route before the middleware that reads the body: app.post('/webhooks', receiver(…)) above app.use(…), or let the middleware read c.req.raw.clone()"
