/**
 * A receiver for Express 4 and 5.
 *
 * @packageDocumentation
 */
import type { WebhookEvent } from '../verification.ts'
import { type NodeRequest, type NodeResponse, nodeReceiver } from './node-receiver.ts'
import type { DeliveryHandler, ReceiverOptions } from './receive.ts'

export type {
  NodeRequest as ExpressRequest,
  NodeResponse as ExpressResponse,
} from './node-receiver.ts'
export type { DeliveryHandler, ReceiverOptions } from './receive.ts'

/**
 * A request handler that verifies a delivery, and calls `handler` once for each. It reads the raw body itself: register
 * it before `express.json()`. Errors, also those of `handler`, go to `next`.
 *
 * @example
 * ```ts
 * app.post('/webhooks', receiver({ secret: process.env.WEBHOOK_SECRET }, async ({ event }) => {
 *   await storeEvent(event)
 * }))
 * app.use(express.json())
 * ```
 */
export function receiver<Event = WebhookEvent, Request extends NodeRequest = NodeRequest>(
  options: ReceiverOptions<Request>,
  handler: DeliveryHandler<Event, Request>,
): (request: Request, response: NodeResponse, next: (error: unknown) => void) => Promise<void> {
  const answer = nodeReceiver(options, handler, REMEDY)
  return async (request, response, next) => {
    try {
      await answer(request, response)
    } catch (error) {
      next(error)
    }
  }
}

const REMEDY =
  "register the route before the body parser: app.post('/webhooks', receiver(…)) above app.use(express.json())"
