import type { GraphQLError } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
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
