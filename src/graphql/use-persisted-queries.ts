import { createHash } from 'node:crypto'
import { createGraphQLError, type GraphQLParams, type Plugin } from 'graphql-yoga'
import type { RequestContext } from './context.ts'
import { createPersistedQueryStore } from './persisted-query-store.ts'

/**
 * Apollo's automatic persisted queries: a client names a document by its SHA-256 in `extensions.persistedQuery`, and sends
 * the document beside the hash only after the answer `PersistedQueryNotFound`. Each process has its own documents.
 * https://www.apollographql.com/docs/apollo-server/performance/apq
 */
export function usePersistedQueries(): Plugin<object, RequestContext> {
  const store = createPersistedQueryStore()
  return {
    onParams({ params, setParams, context: { identity, quota } }) {
      const hash = hashOf(params)
      if (hash === null) return
      if (typeof params.query === 'string') {
        if (sha256(params.query) !== hash) throw rejection('PersistedQueryMismatch', 400)
        // Strangers cannot fill the store.
        if (!(identity instanceof Error)) store.set(hash, params.query)
        return
      }
      if (identity instanceof Error) throw identity
      const query = store.get(hash)
      if (query === undefined) {
        quota.spend(identity, 'requests', 1)
        // Apollo's server answers with 200: the client continues.
        throw rejection('PersistedQueryNotFound', 200)
      }
      setParams({ ...params, query })
    },
  }
}

/** Null: the request does not use the protocol. */
function hashOf({ extensions }: GraphQLParams): string | null {
  const persisted: unknown = extensions?.['persistedQuery']
  if (typeof persisted !== 'object' || persisted === null) return null
  const { version, sha256Hash } = persisted as { version?: unknown; sha256Hash?: unknown }
  if (version !== 1) throw rejection('PersistedQueryNotSupported', 200)
  return typeof sha256Hash === 'string' ? sha256Hash.toLowerCase() : null
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

const CODES = {
  PersistedQueryMismatch: 'PERSISTED_QUERY_MISMATCH',
  PersistedQueryNotFound: 'PERSISTED_QUERY_NOT_FOUND',
  PersistedQueryNotSupported: 'PERSISTED_QUERY_NOT_SUPPORTED',
} as const

/** Clients recognize the message. */
function rejection(message: keyof typeof CODES, status: number): Error {
  return createGraphQLError(message, { extensions: { code: CODES[message], http: { status } } })
}
