import { createHash } from 'node:crypto'
import {
  createGraphQLError,
  type GraphQLParams,
  type Plugin,
  type YogaInitialContext,
} from 'graphql-yoga'
import { DomainError } from '../lib/errors.ts'
import type { Identify } from './context.ts'
import type { RequestContext } from './limits/use-rate-limit.ts'
import { createPersistedQueryStore } from './persisted-query-store.ts'

/**
 * Apollo's automatic persisted queries: a client names a document by its SHA-256 in `extensions.persistedQuery`, and sends
 * the document beside the hash only after the answer `PersistedQueryNotFound`. Each process has its own documents.
 * https://www.apollographql.com/docs/apollo-server/performance/apq
 */
export function usePersistedQueries(
  identify: Identify,
): Plugin<YogaInitialContext, RequestContext> {
  const store = createPersistedQueryStore()
  return {
    async onParams({ request, params, setParams, context: { address, quota } }) {
      const hash = hashOf(params)
      if (hash === null) return
      const caller = await identify(request, address)
      if (typeof params.query === 'string') {
        if (sha256(params.query) !== hash) throw rejection('PersistedQueryMismatch', 400)
        // Strangers cannot fill the store.
        if (!(caller instanceof DomainError)) store.set(hash, params.query)
        return
      }
      if (caller instanceof DomainError) throw caller
      const query = store.get(hash)
      if (query === undefined) {
        quota.spend(caller, 'requests', 1)
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
