import { createHash } from 'node:crypto'
import { createGraphQLError, type GraphQLParams, type Plugin } from 'graphql-yoga'
import { LruMap, MAX_AGE_MS } from '../lib/lru-map.ts'
import { identifiedCaller, type RequestContext } from './context.ts'
import type { ErrorCode } from './error-codes.ts'

/** Documents by hash, as written by the `persistedDocuments` option of GraphQL codegen. */
export type TrustedDocuments = Readonly<Record<string, string>>

/** Longer documents are not kept, so a client sends them with every request. */
const MAX_LENGTH = 64 * 1024

/**
 * Apollo's persisted queries: a client names a document by its SHA-256 in `extensions.persistedQuery`.
 * https://www.apollographql.com/docs/apollo-server/performance/apq
 *
 * With trusted documents, no other runs, so that a leaked API key gives access to no more than the frontend queries. Without
 * them, a client sends a document beside the hash only after the answer `PersistedQueryNotFound`; each process keeps the
 * least recently used ones.
 */
export function usePersistedDocuments(
  trusted: TrustedDocuments | null,
): Plugin<object, RequestContext> {
  const known = new LruMap<string, string>({
    maxEntries: 1_000,
    weight: { max: 4 * 1024 * 1024, of: (text) => text.length },
    maxAgeMs: MAX_AGE_MS,
  })

  function learn(hash: string, text: string): void {
    if (createHash('sha256').update(text).digest('hex') !== hash) {
      throw rejection('PERSISTED_QUERY_MISMATCH', 'PersistedQueryMismatch', 400)
    }
    if (text.length <= MAX_LENGTH) known.set(hash, text)
  }

  function find(hash: string, context: RequestContext): string {
    const text = known.get(hash)
    if (text !== undefined) return text
    context.quota.spend(identifiedCaller(context), 'requests', 1)
    // Apollo's server answers with 200: the client continues.
    throw rejection('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound', 200)
  }

  return {
    onParams({ params, setParams, context }) {
      if (trusted) return setParams({ ...params, query: trustedDocument(trusted, params) })
      const hash = hashOf(params)
      if (hash === null) return
      if (typeof params.query === 'string') learn(hash, params.query)
      else setParams({ ...params, query: find(hash, context) })
    },
  }
}

function trustedDocument(trusted: TrustedDocuments, params: GraphQLParams): string {
  const hash = hashOf(params)
  if (hash === null || params.query != null) {
    const leaveOut = params.query == null ? '' : ' Leave out `query`.'
    throw rejection(
      'TRUSTED_DOCUMENTS_ONLY',
      `Only trusted documents run here.${leaveOut} Name one by its hash: \`"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "…"}}\`.`,
      400,
      true,
    )
  }
  if (Object.hasOwn(trusted, hash)) return trusted[hash] as string
  throw rejection(
    'TRUSTED_DOCUMENT_NOT_FOUND',
    'No trusted document has this hash. Deploy the list that your client was built with (POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS).',
    400,
    true,
  )
}

/** Null: the request does not use the protocol. */
function hashOf({ extensions }: GraphQLParams): string | null {
  const persisted: unknown = extensions?.['persistedQuery']
  if (typeof persisted !== 'object' || persisted === null) return null
  const { version, sha256Hash } = persisted as { version?: unknown; sha256Hash?: unknown }
  if (version !== 1) {
    throw rejection('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported', 200)
  }
  return typeof sha256Hash === 'string' ? sha256Hash.toLowerCase() : null
}

/** Clients recognize the messages of Apollo's protocol. */
function rejection(code: ErrorCode, message: string, status: number, spec = false): Error {
  return createGraphQLError(message, { extensions: { code, http: { spec, status } } })
}
