import { setImmediate } from 'node:timers/promises'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import type { InFlight } from '../../http/connection.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import { MAX_COMPLEXITY } from './field-complexity.ts'

const SPLIT = 'Split it into several operations.'

/** Of a document, and of one operation with its fragments expanded; fields and spreads count all of a document. */
const LIMITS = {
  /** A page of the console has a few hundred. */
  tokens: { max: 10_000, remedy: 'Pass long values in variables, or split the document.' },
  /** `graphql` suggests similar names for unknown ones, which is slow for long names. */
  'characters in one name': { max: 256, remedy: 'Names in the schema are shorter.' },
  /** The parser is recursive: some thousands would overflow the stack. */
  'levels of nested brackets': { max: 100, remedy: 'Pass deeply nested values in variables.' },
  'root fields': { max: 50, remedy: SPLIT },
  /** The standard introspection query has this depth. */
  'levels of nested fields': { max: 15, remedy: SPLIT },
  'fields with those of its fragments': { max: 1_000, remedy: SPLIT },
  'spreads of fragments': { max: 1_000, remedy: SPLIT },
  /** Of a field with subfields, in one place. */
  'selections of one field': { max: 50, remedy: 'Select it once, with all subfields.' },
  /** Tools that detect server features request four. */
  'types requested with `__type`': {
    max: 4,
    remedy: 'Request all types with `__schema`, or read /schema.graphql.',
  },
  /** With them, a short document could request the schema thousands of times. */
  'aliases in `__schema` and `__type`': {
    max: 0,
    remedy: 'Select each field by its own name, once.',
  },
  /** That of the rule `OverlappingFieldsCanBeMerged` of `graphql`. */
  'comparisons of equal fields': {
    max: 500_000,
    remedy: 'Select each field once, and use fewer fragments.',
  },
  'fields in its largest response': {
    max: MAX_COMPLEXITY,
    remedy: 'Request smaller pages (`first`), or split the operation.',
  },
  /** 20 MB of the heap, until the response is made of them. */
  'selectable fields of all event types': {
    max: 50_000,
    remedy: 'Request the fields of fewer event types, by `nodes`.',
  },
} as const

type Limit = keyof typeof LIMITS

/** Throws the error for a document or an operation that has more of a thing than is allowed. */
export function requireAtMost(limit: Limit, found: number): void {
  if (found > LIMITS[limit].max) throw limitExceeded(limit)
}

/** `found` is omitted where counting stops at the limit. */
export function limitExceeded(limit: Limit, found?: number): GraphQLError {
  const { max, remedy } = LIMITS[limit]
  const message = `The document exceeds the limit of ${count(max)} ${limit}. ${remedy}`
  return exceeded(message, { limit, max, ...(found !== undefined && { found }) })
}

/** The maximum size of a response, or of one event of a subscription, as JSON. */
export const MAX_RESPONSE_BYTES = 10_000_000

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
  if (bytes > MAX_RESPONSE_BYTES) {
    const message = `The response is larger than ${count(MAX_RESPONSE_BYTES)} bytes. Request smaller pages (\`first\`) or fewer large fields.`
    const details = { limit: 'bytes in the response', max: MAX_RESPONSE_BYTES }
    return { result: { errors: [exceeded(message, details)] }, bytes }
  }
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
