import { challengeAnswer } from '../challenge-answer.ts'
import { type DeliveryStore, deduplicate } from '../deduplicate.ts'
import type { ReceivedHeaders } from '../headers.ts'
import { type RejectedRequest, readDelivery, type VerifiedRequest } from '../read-delivery.ts'
import { rejectUnknownOptions } from '../verify-options.ts'
import { MAX_BODY_BYTES, type VerifyRequestOptions } from '../verify-request.ts'

/** The options of the adapters. An unknown option is a `TypeError`. */
export interface ReceiverOptions<Request> extends VerifyRequestOptions<Request> {
  /**
   * Where the ids of processed deliveries are kept, so that a repeat is answered without another call of the handler.
   *
   * @default `memoryStore()`
   */
  readonly store?: DeliveryStore | undefined
  /** Called with each rejected request, for your log. */
  readonly onRejected?: ((rejected: RejectedRequest, request: Request) => unknown) | undefined
}

/**
 * Processes a delivery. The receiver answers 204 after it has returned. If it throws, the framework answers with its
 * error, the sender tries again, and the retry is processed.
 */
export type DeliveryHandler<Event, Request> = (
  delivery: VerifiedRequest<Event>,
  request: Request,
) => unknown

export interface Answer {
  readonly status: number
  readonly text: string
  /** The media type of the text. */
  readonly type: string
}

export interface Receiver<Request> {
  readonly maxBodyBytes: number
  /** A body of null is one that was too large to read. */
  receive(body: unknown, headers: ReceivedHeaders, request: Request): Promise<Answer>
}

/** @param remedy What to do in this framework about a body that was parsed. */
export function createReceiver<Event, Request>(
  options: ReceiverOptions<Request>,
  handler: DeliveryHandler<Event, Request>,
  remedy: string,
): Receiver<Request> {
  rejectUnknownOptions(options, OPTIONS)
  const { secret, maxBodyBytes = MAX_BODY_BYTES, store, onRejected, ...verifyOptions } = options
  const once = deduplicate(store)
  return {
    maxBodyBytes,
    async receive(body, headers, request) {
      const found = typeof secret === 'function' ? await secret(request) : secret
      const delivery = await readDelivery<Event>(body, headers, found, verifyOptions, remedy)
      if (!delivery.ok) {
        await onRejected?.(delivery, request)
        return { status: delivery.status, text: delivery.reason, type: 'text/plain' }
      }
      const answer = challengeAnswer(delivery.event)
      if (answer) return { status: 200, text: JSON.stringify(answer), type: 'application/json' }
      const result = await once(delivery.id, () => handler(delivery, request))
      return { ...ANSWERS[result], type: 'text/plain' }
    },
  }
}

const OPTIONS = ['secret', 'store', 'maxBodyBytes', 'onRejected', 'headerPrefix', 'now']

const ANSWERS = {
  processed: { status: 204, text: '' },
  duplicate: { status: 200, text: 'duplicate' },
  processing: { status: 409, text: 'processing' },
} as const
