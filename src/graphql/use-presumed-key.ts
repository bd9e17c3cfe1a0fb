import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import type { Identify } from './context.ts'
import type { Connection } from './cors.ts'
import { createDocumentCache } from './document-cache.ts'
import { isDocument, publishesOnly } from './publishes-only.ts'

/**
 * Where a request sends a document that is known to publish and to do nothing else, its API key is not asked for if it
 * was valid some seconds ago: Postgres checks it in the statement that stores the events. So an event that comes alone
 * waits for one statement, not for two.
 */
export function usePresumedKey(identify: Identify): Plugin<YogaInitialContext, Connection> {
  const publishing = createDocumentCache()
  return {
    onParams({ request, params: { query, operationName }, context: { address } }) {
      const document = query === undefined ? undefined : publishing.get(query)
      if (document && publishesOnly(document, operationName)) {
        identify.presume(request, address)
      }
    },
    onParse:
      ({ context: { params } }) =>
      ({ result }) => {
        if (params.query === undefined || !isDocument(result)) return
        if (publishesOnly(result, params.operationName)) publishing.set(params.query, result)
      },
  }
}
