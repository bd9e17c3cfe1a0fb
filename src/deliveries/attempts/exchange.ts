import { TOO_LARGE } from '../../bodies/body.ts'
import { publicId } from '../../db/ids.ts'
import type { HttpSender } from '../../outbound/http-sender.ts'
import type { Outcome } from '../../outbound/outcome.ts'
import type { TraceContext } from '../../telemetry/tracing.ts'
import type { SendOptions } from '../../webhooks/send-options.ts'
import type { UnsentCode } from './attempt-record.ts'
import type { LoadedDelivery } from './load-delivery.ts'
import { type DeliveryHeaderNames, type SignedRequest, signRequest } from './signed-request.ts'

export interface ExchangeDeps {
  readonly sender: HttpSender
  readonly headerNames: DeliveryHeaderNames
}

export interface Sendable {
  readonly delivery: LoadedDelivery
  readonly options: SendOptions
}

/** The values of an attempt that are chosen when it starts. */
export interface StartedAttempt {
  readonly startedAt: Date
  /** The context of the span of the attempt. Null: that of the event is sent. */
  readonly ownTrace: TraceContext | null
}

export interface ExchangeControl {
  readonly signal: AbortSignal
  /** Runs right before the request is sent. If it throws, nothing is sent. */
  readonly beforeSend: () => Promise<void>
}

/** A request and its outcome, or why the attempt failed without one. */
export type Exchanged =
  | { readonly request: SignedRequest; readonly outcome: Outcome }
  | { readonly unsent: UnsentCode }

/** Signs and sends the request of an attempt. */
export async function exchange(
  deps: ExchangeDeps,
  { delivery, options }: Sendable,
  body: Buffer | typeof TOO_LARGE,
  started: StartedAttempt,
  { signal, beforeSend }: ExchangeControl,
): Promise<Exchanged> {
  if (body === TOO_LARGE) return { unsent: 'body_too_large' }
  // The secret or the custom headers cannot be decrypted.
  if (options.signingKey === null) return { unsent: 'secret_unreadable' }
  const request = signRequest(deps.headerNames, options.signingKey, {
    ...started,
    delivery,
    messageId: publicId('delivery', delivery.id),
    body,
    customHeaders: options.headers,
    headerPrefix: options.headerPrefix,
  })
  await beforeSend()
  const outcome = await deps.sender.send({
    organizationId: delivery.organizationId,
    url: options.url,
    headers: request.headers,
    body,
    acknowledgeTimeoutMs: options.timeoutMs ?? undefined,
    signal,
  })
  return { request, outcome }
}
