import type { GraphQLError } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import { describeRequest } from '../../telemetry/request-log.ts'

interface Exceeded {
  /** The counted thing, in the plural: `aliases`. */
  readonly limit: string
  readonly max: number
  /** Omitted where counting stops at the limit. */
  readonly found?: number
  readonly remedy: string
}

/** The error for a document or an operation that exceeds a limit. */
export function limitExceeded({ limit, max, found, remedy }: Exceeded): GraphQLError {
  describeRequest({ limit: 'document' })
  const has = found === undefined ? `more than ${count(max)}` : count(found)
  return createGraphQLError(
    `The document has ${has} ${limit}; at most ${count(max)} are allowed. ${remedy}`,
    {
      extensions: {
        code: 'LIMIT_EXCEEDED',
        limit,
        max,
        ...(found !== undefined && { found }),
        http: { spec: true, status: 400 },
      },
    },
  )
}

const count = (number: number) => number.toLocaleString('en')
