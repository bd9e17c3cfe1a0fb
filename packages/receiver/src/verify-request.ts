import { type FetchRequest, readRequest } from './fetch-body.ts'
import { type RejectedRequest, readDelivery, type VerifiedRequest } from './read-delivery.ts'
import type { WebhookSecret } from './signature.ts'
import type { WebhookEvent } from './verification.ts'
import { rejectUnknownOptions, type VerifyOptions } from './verify-options.ts'

/** The options of `verifyRequest`. An unknown option is a `TypeError`. */
export interface VerifyRequestOptions<Request = FetchRequest> extends VerifyOptions {
  /** The signing secret, or a function that finds it for a request, for example by its path. */
  readonly secret: WebhookSecret | ((request: Request) => WebhookSecret | Promise<WebhookSecret>)
  /**
   * The largest body to read. A larger one is rejected with `body-too-large`, and not read to its end. Posthorn sends at
   * most 257 KiB.
   *
   * @default 1048576 (1 MiB)
   */
  readonly maxBodyBytes?: number | undefined
}

export const MAX_BODY_BYTES = 1_048_576

/**
 * Reads and verifies a `Request` of the Fetch API, as Bun, Cloudflare Workers, Deno, Hono and Next.js give it to their
 * handlers, and parses its body.
 *
 * @param request The request. Its body must not have been read.
 * @param options The secret, and what `verify` takes.
 * @returns `{ ok: true, id, timestamp, isTest, secretIndex, event, rawBody }`, or `{ ok: false, reason, message, status }`,
 *   where `status` is what to answer with.
 * @throws {TypeError} (as a rejected promise) if the body was already read, or an option is invalid.
 *
 * @example
 * ```ts
 * export async function POST(request: Request): Promise<Response> {
 *   const delivery = await verifyRequest(request, { secret: process.env.WEBHOOK_SECRET })
 *   if (!delivery.ok) return new Response(delivery.reason, { status: delivery.status })
 *
 *   await acceptOnce(delivery.id, delivery.event) // store it; skip known ids
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export async function verifyRequest<
  Event = WebhookEvent,
  Request extends FetchRequest = FetchRequest,
>(
  request: Request,
  options: VerifyRequestOptions<Request>,
): Promise<VerifiedRequest<Event> | RejectedRequest> {
  rejectUnknownOptions(options, ['secret', 'maxBodyBytes', 'headerPrefix', 'now'])
  const { secret, maxBodyBytes = MAX_BODY_BYTES, ...verifyOptions } = options
  const body = await readRequest(request, maxBodyBytes)
  const found = typeof secret === 'function' ? await secret(request) : secret
  return await readDelivery<Event>(body, request.headers, found, verifyOptions)
}
