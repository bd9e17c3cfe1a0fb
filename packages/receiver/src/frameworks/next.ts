/**
 * A receiver for Next.js: `receiver` for a route handler of the App Router, `pagesReceiver` for an API route of the Pages
 * Router.
 *
 * @packageDocumentation
 */

import type { FetchRequest } from '../fetch-body.ts'
import type { WebhookEvent } from '../verification.ts'
import { fetchReceiver } from './fetch-receiver.ts'
import { type NodeRequest, type NodeResponse, nodeReceiver } from './node-receiver.ts'
import type { DeliveryHandler, ReceiverOptions } from './receive.ts'

export type { NodeRequest, NodeResponse } from './node-receiver.ts'
export type { DeliveryHandler, ReceiverOptions } from './receive.ts'

/**
 * A route handler that verifies a delivery, and calls `handler` once for each.
 *
 * @example app/webhooks/route.ts
 * ```ts
 * export const POST = receiver({ secret: process.env.WEBHOOK_SECRET }, async ({ event }) => {
 *   await storeEvent(event)
 * })
 * ```
 */
export function receiver<Event = WebhookEvent, Request extends FetchRequest = FetchRequest>(
  options: ReceiverOptions<Request>,
  handler: DeliveryHandler<Event, Request>,
): (request: Request) => Promise<Response> {
  return fetchReceiver(options, handler, (request) => request, ROUTE_REMEDY)
}

const ROUTE_REMEDY =
  'export the receiver itself, export const POST = receiver(…), or let other code read request.clone()'

/**
 * An API route that verifies a delivery, and calls `handler` once for each. Turn off the body parser of the route.
 *
 * @example pages/api/webhooks.ts
 * ```ts
 * export const config = { api: { bodyParser: false } }
 *
 * export default pagesReceiver({ secret: process.env.WEBHOOK_SECRET }, async ({ event }) => {
 *   await storeEvent(event)
 * })
 * ```
 */
export function pagesReceiver<Event = WebhookEvent, Request extends NodeRequest = NodeRequest>(
  options: ReceiverOptions<Request>,
  handler: DeliveryHandler<Event, Request>,
): (request: Request, response: NodeResponse) => Promise<void> {
  return nodeReceiver(options, handler, PAGES_REMEDY)
}

const PAGES_REMEDY =
  'turn off the body parser in the file of the route: export const config = { api: { bodyParser: false } }'
