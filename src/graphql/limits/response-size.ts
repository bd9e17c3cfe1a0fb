import type { GraphQLError } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import { describeRequest } from '../../telemetry/request-log.ts'

/** The maximum size of a response, or of one event of a subscription, as JSON. */
export const MAX_RESPONSE_BYTES = 10_000_000

/** The size of the response to one request so far. */
export interface ResponseSize {
  readonly bytes: number
  /** Adds bytes. Returns whether the response is still within the limit. */
  add(bytes: number): boolean
  /** Resets the size for the next response. If that response exceeds the limit, the promise resolves to the error. */
  begin(): Promise<GraphQLError>
}

export function createResponseSize(): ResponseSize {
  let bytes = 0
  let exceeded = Promise.withResolvers<GraphQLError>()
  return {
    get bytes() {
      return bytes
    },
    add(more) {
      const before = bytes
      bytes += more
      if (bytes > MAX_RESPONSE_BYTES && before <= MAX_RESPONSE_BYTES) exceeded.resolve(tooLarge())
      return bytes <= MAX_RESPONSE_BYTES
    },
    begin() {
      bytes = 0
      exceeded = Promise.withResolvers()
      return exceeded.promise
    },
  }
}

/** The size of a value as JSON. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string' || (typeof value === 'object' && value !== null)) {
    return Buffer.byteLength(JSON.stringify(value))
  }
  return String(value).length
}

function tooLarge(): GraphQLError {
  describeRequest({ limit: 'document' })
  const max = MAX_RESPONSE_BYTES.toLocaleString('en')
  return createGraphQLError(
    `The response is larger than ${max} bytes. Request smaller pages (\`first\`) or fewer large fields.`,
    {
      extensions: {
        code: 'LIMIT_EXCEEDED',
        limit: 'bytes in the response',
        max: MAX_RESPONSE_BYTES,
        http: { spec: true, status: 400 },
      },
    },
  )
}
