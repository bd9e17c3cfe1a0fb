import type { GraphQLError } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'

/** One answer, or one event of a subscription, as JSON. */
export const MAX_ANSWER_BYTES = 10_000_000

/** What the answer to a request has come to so far. */
export interface AnswerSize {
  /** Counts more; answers whether all of it may be given. */
  add(bytes: number): boolean
  /** Counts from nothing: the next answer begins. Resolves, if it becomes too large, to the error to give instead. */
  begin(): Promise<GraphQLError>
}

export function createAnswerSize(): AnswerSize {
  let bytes = 0
  let exceeded = Promise.withResolvers<GraphQLError>()
  return {
    add(more) {
      const before = bytes
      bytes += more
      if (bytes > MAX_ANSWER_BYTES && before <= MAX_ANSWER_BYTES) exceeded.resolve(tooLarge())
      return bytes <= MAX_ANSWER_BYTES
    },
    begin() {
      bytes = 0
      exceeded = Promise.withResolvers()
      return exceeded.promise
    },
  }
}

/** The bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string' || (typeof value === 'object' && value !== null)) {
    return Buffer.byteLength(JSON.stringify(value))
  }
  return String(value).length
}

function tooLarge(): GraphQLError {
  const most = MAX_ANSWER_BYTES.toLocaleString('en')
  return createGraphQLError(
    `The answer has more than ${most} bytes; at most ${most} are allowed. Ask for smaller pages (\`first\`), or for fewer large fields.`,
    {
      extensions: {
        code: 'LIMIT_EXCEEDED',
        limit: 'bytes of the answer',
        most: MAX_ANSWER_BYTES,
        http: { spec: true, status: 400 },
      },
    },
  )
}
