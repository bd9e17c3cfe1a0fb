/**
 * A receiver for Fastify 4 and 5.
 *
 * @packageDocumentation
 */
import type { WebhookEvent } from '../verification.ts'
import { createReceiver, type DeliveryHandler, type ReceiverOptions } from './receive.ts'

export type { DeliveryHandler, ReceiverOptions } from './receive.ts'

/** What the receiver uses of a request of Fastify. */
export interface FastifyRequest {
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly body: unknown
}

/** What the receiver uses of a reply of Fastify. */
export interface FastifyReply {
  code(status: number): { type(mediaType: string): { send(text: string): unknown } }
}

/** What the receiver uses of an instance of Fastify. */
export interface FastifyInstance<Request> {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (
      request: never,
      body: Uint8Array,
      done: (error: Error | null, body?: unknown) => void,
    ) => void,
  ): unknown
  post(path: string, handler: (request: Request, reply: FastifyReply) => Promise<unknown>): unknown
}

export interface FastifyReceiverOptions<Request> extends ReceiverOptions<Request> {
  /** The path of the route, after the prefix of the plugin. */
  readonly path: string
}

/**
 * A plugin with a route that verifies a delivery, and calls `handler` once for each. The route gets the raw body; the
 * parsers of other routes stay as they are.
 *
 * @example
 * ```ts
 * app.register(
 *   receiver({ path: '/webhooks', secret: process.env.WEBHOOK_SECRET }, async ({ event }) => {
 *     await storeEvent(event)
 *   }),
 * )
 * ```
 */
export function receiver<Event = WebhookEvent, Request extends FastifyRequest = FastifyRequest>(
  { path, ...options }: FastifyReceiverOptions<Request>,
  handler: DeliveryHandler<Event, Request>,
): (instance: FastifyInstance<Request>) => Promise<void> {
  const { receive, maxBodyBytes } = createReceiver(options, handler, REMEDY)
  return async (instance) => {
    // They are those of this plugin only.
    instance.removeAllContentTypeParsers()
    const parsing = { parseAs: 'buffer', bodyLimit: maxBodyBytes } as const
    instance.addContentTypeParser('*', parsing, (_request, body, done) => done(null, body))
    instance.post(path, async (request, reply) => {
      const { status, text, type } = await receive(request.body ?? '', request.headers, request)
      return reply.code(status).type(type).send(text)
    })
  }
}

const REMEDY =
  'leave request.body as it is in hooks that run for the route of the receiver, and register it as a plugin: app.register(receiver({ path, secret }, handler))'
