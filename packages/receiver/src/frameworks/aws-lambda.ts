/**
 * A receiver for AWS Lambda behind API Gateway (REST and HTTP APIs), an Application Load Balancer or a function URL.
 *
 * @packageDocumentation
 */

import type { ReceivedHeaders } from '../headers.ts'
import { toBytes } from '../raw-body.ts'
import type { WebhookEvent } from '../verification.ts'
import { createReceiver, type DeliveryHandler, type ReceiverOptions } from './receive.ts'

export type { DeliveryHandler, ReceiverOptions } from './receive.ts'

/** What the receiver uses of the events that describe a request. */
export interface LambdaEvent {
  readonly headers?: { readonly [name: string]: string | undefined } | null | undefined
  /** In REST APIs; from a load balancer instead of `headers`, if its target group has multi-value headers. */
  readonly multiValueHeaders?: { readonly [name: string]: string[] | undefined } | null | undefined
  readonly body?: string | null | undefined
  readonly isBase64Encoded: boolean
}

export interface LambdaResult {
  readonly statusCode: number
  readonly headers: { readonly [name: string]: string }
  readonly multiValueHeaders?: { readonly [name: string]: string[] }
  readonly body: string
  readonly isBase64Encoded: false
}

/**
 * A function that verifies a delivery, and calls `handler` once for each. It throws the errors of `handler`, and the
 * service in front answers with 5xx.
 *
 * @example
 * ```ts
 * export const handler = receiver({ secret: process.env.WEBHOOK_SECRET }, async ({ event }) => {
 *   await storeEvent(event)
 * })
 * ```
 */
export function receiver<Event = WebhookEvent, Request extends LambdaEvent = LambdaEvent>(
  options: ReceiverOptions<Request>,
  handler: DeliveryHandler<Event, Request>,
): (request: Request) => Promise<LambdaResult> {
  const { receive, maxBodyBytes } = createReceiver(options, handler, REMEDY)
  return async (request) => {
    const body = bodyOf(request)
    const tooLarge = body.length > maxBodyBytes
    const { status, text, type } = await receive(
      tooLarge ? null : body,
      headersOf(request),
      request,
    )
    return {
      statusCode: status,
      headers: { 'content-type': type },
      ...(request.multiValueHeaders && { multiValueHeaders: { 'content-type': [type] } }),
      body: text,
      isBase64Encoded: false,
    }
  }
}

/** A REST API has both, and only the second has every value of a repeated header. */
function headersOf({ multiValueHeaders, headers }: LambdaEvent): ReceivedHeaders {
  const found = multiValueHeaders ?? headers
  if (found) return found
  throw new TypeError(
    'The event has no headers. Does the API call the function with Lambda proxy integration?',
  )
}

function bodyOf({ body, isBase64Encoded }: LambdaEvent): Uint8Array {
  if (isBase64Encoded && typeof body === 'string') {
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0))
  }
  return toBytes(body ?? '', REMEDY)
}

const REMEDY =
  'pass event.body as the service sends it, without httpJsonBodyParser of Middy or a mapping template'
