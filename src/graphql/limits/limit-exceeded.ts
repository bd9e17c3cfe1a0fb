import type { GraphQLError } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'

interface Exceeded {
  /** What is counted, in the plural: `aliases`. */
  readonly limit: string
  readonly most: number
  /** Left out where counting stops at the limit. */
  readonly found?: number
  readonly remedy: string
}

/** A document or an operation that asks for too much: what of, how much there is, how much may be, and what to do. */
export function limitExceeded({ limit, most, found, remedy }: Exceeded): GraphQLError {
  const has = found === undefined ? `more than ${count(most)}` : count(found)
  return createGraphQLError(
    `The document has ${has} ${limit}; at most ${count(most)} are allowed. ${remedy}`,
    {
      extensions: {
        code: 'LIMIT_EXCEEDED',
        limit,
        most,
        ...(found !== undefined && { found }),
        http: { spec: true, status: 400 },
      },
    },
  )
}

const count = (number: number) => number.toLocaleString('en')
