import { setImmediate } from 'node:timers/promises'
import type { ExecutionResult } from 'graphql'
import type { InFlight } from '../../http/connection.ts'
import { type MaskError, rejection } from '../mask-error.ts'
import { count, exceeded, MAX_COMPLEXITY } from './document-limits.ts'

/** The maximum size of a response, or of one event of a subscription, as JSON. */
export const MAX_RESPONSE_BYTES = 10_000_000

/** An estimate: a response of the largest complexity is at most as large as responses may be. */
export const BYTES_PER_FIELD = MAX_RESPONSE_BYTES / MAX_COMPLEXITY

/** A result that yoga sends as `stringify` returns it. */
interface Serialized extends ExecutionResult {
  readonly stringify?: () => string
}

/** Masks the errors of a result and serializes it. Returns an error in its place if it is too large. */
export function withinLimits(
  { errors, ...rest }: ExecutionResult,
  maskError: MaskError,
): { result: Serialized; bytes: number } {
  const result = errors ? { errors: errors.map(maskError), ...rest } : rest
  const text = JSON.stringify(result)
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_RESPONSE_BYTES) {
    const message = `The response is larger than ${count(MAX_RESPONSE_BYTES)} bytes. Request smaller pages (\`first\`) or fewer large fields.`
    const details = { limit: 'bytes in the response', max: MAX_RESPONSE_BYTES }
    return { result: { errors: [exceeded(message, details)] }, bytes }
  }
  // Yoga still removes what errors have for it alone.
  return { result: errors ? result : { ...result, stringify: () => text }, bytes }
}

/**
 * The events of a subscription. The last two count as in flight, because yoga asks for the next one while the client reads
 * the one before. The stream ends after an error that it throws, and after the error for an event that is too large, or for
 * which there is no room.
 */
export function eachWithinLimits(
  events: AsyncIterable<ExecutionResult>,
  inFlight: InFlight | undefined,
  maskError: MaskError,
): AsyncIterableIterator<Serialized> {
  const iterator = events[Symbol.asyncIterator]()
  let lastBytes = 0
  let ended = false

  async function end(): Promise<IteratorResult<Serialized>> {
    ended = true
    await iterator.return?.()
    return { done: true, value: undefined }
  }

  return {
    async next() {
      // Others are served between two events.
      await setImmediate()
      if (ended) return await end()
      const event = await iterator.next().catch((error) => {
        ended = true
        return { done: false as const, value: { errors: [error] } }
      })
      if (event.done) return event
      const { result, bytes } = withinLimits(event.value, maskError)
      ended ||= bytes > MAX_RESPONSE_BYTES
      try {
        inFlight?.resize('response', lastBytes + bytes)
      } catch {
        ended = true
        return { done: false, value: { errors: [unreadEvents()] } }
      }
      lastBytes = bytes
      return { done: false, value: result }
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function unreadEvents() {
  const message =
    'The events that your clients have not read take too much memory. Subscribe again with fewer large fields, then query the events that it missed.'
  return rejection('SLOW_CONSUMER', message)
}
