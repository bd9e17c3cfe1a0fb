import type { GraphQLError } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import type { RequestMemory } from '../../http/connection.ts'

/**
 * Counts the events that the client of a stream has not read: the last two, because yoga asks for the next one while the
 * client reads the one before. The function returns whether there is memory for one more.
 */
export function createStreamMemory(
  memory: RequestMemory | undefined,
): (eventBytes: number) => boolean {
  let lastBytes = 0
  return (eventBytes) => {
    try {
      memory?.resize('response', lastBytes + eventBytes)
      lastBytes = eventBytes
      return true
    } catch {
      return false
    }
  }
}

export function unreadEvents(): GraphQLError {
  return createGraphQLError(
    'The events that your clients have not read take too much memory. Subscribe again with fewer large fields, then query the events that it missed.',
    { extensions: { code: 'SLOW_CONSUMER' } },
  )
}
