import { setImmediate } from 'node:timers/promises'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import type { InFlight } from '../../http/connection.ts'
import { describeRequest } from '../../telemetry/request-log.ts'

export interface Limit {
  readonly max: number
  readonly remedy: string
}

/** The error for a document or an operation that has more of a thing, in the plural, than is allowed. */
export function limitExceeded(
  limit: string,
  { max, remedy }: Limit,
  /** Omitted where counting stops at the limit. */
  found?: number,
): GraphQLError {
  const has = found === undefined ? `more than ${count(max)}` : count(found)
  const message = `The document has ${has} ${limit}; at most ${count(max)} are allowed. ${remedy}`
  return exceeded(message, { limit, max, ...(found !== undefined && { found }) })
}

/** The maximum size of a response, or of one event of a subscription, as JSON. */
export const MAX_RESPONSE_BYTES = 10_000_000

export function responseTooLarge(): GraphQLError {
  return exceeded(
    `The response is larger than ${count(MAX_RESPONSE_BYTES)} bytes. Request smaller pages (\`first\`) or fewer large fields.`,
    { limit: 'bytes in the response', max: MAX_RESPONSE_BYTES },
  )
}

function exceeded(message: string, details: object): GraphQLError {
  describeRequest({ limit: 'document' })
  return createGraphQLError(message, {
    extensions: { code: 'LIMIT_EXCEEDED', ...details, http: { spec: true, status: 400 } },
  })
}

const count = (number: number) => number.toLocaleString('en')

/** A result that yoga sends as `stringify` returns it. */
interface Serialized extends ExecutionResult {
  readonly stringify?: (result: ExecutionResult) => string
}

/** Serializes a result. Returns an error in its place if it is too large. */
export function withinLimits(result: Serialized): { result: Serialized; bytes: number } {
  const { stringify = JSON.stringify } = result
  const text = stringify(result)
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_RESPONSE_BYTES) return { result: { errors: [responseTooLarge()] }, bytes }
  // Yoga still removes what errors have for it alone.
  return { result: result.errors ? result : { ...result, stringify: () => text }, bytes }
}

/**
 * The events of a subscription. The last two count as in flight, because yoga asks for the next one while the client reads
 * the one before. The stream ends after the error for an event that is too large, or for which there is no room.
 */
export function eachWithinLimits(
  events: AsyncIterable<ExecutionResult>,
  inFlight: InFlight | undefined,
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
      const event = await iterator.next()
      if (event.done) return event
      const { result, bytes } = withinLimits(event.value)
      ended = bytes > MAX_RESPONSE_BYTES
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
  return createGraphQLError(
    'The events that your clients have not read take too much memory. Subscribe again with fewer large fields, then query the events that it missed.',
    { extensions: { code: 'SLOW_CONSUMER' } },
  )
}
