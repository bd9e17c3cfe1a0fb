import { createGraphQLError, type GraphQLParams, type Plugin } from 'graphql-yoga'
import type { ErrorCode } from './error-codes.ts'

/** Documents by hash, as written by the `persistedDocuments` option of GraphQL codegen. */
export type TrustedDocuments = Readonly<Record<string, string>>

/**
 * With trusted documents, no other runs, so that a leaked API key gives access to no more than the frontend queries. A client
 * names one by its hash in `extensions.persistedQuery`, as Apollo's persisted queries do. Without them, clients of that
 * protocol learn that they must send each document: https://www.apollographql.com/docs/apollo-server/performance/apq
 */
export function usePersistedDocuments(trusted: TrustedDocuments | null): Plugin {
  return {
    onParams({ params, setParams }) {
      if (trusted) setParams({ ...params, query: trustedDocument(trusted, params) })
      else if (params.query == null && hashOf(params) !== null) {
        // Apollo's server answers with 200: the client continues.
        throw rejection('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported', 200)
      }
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
  const { sha256Hash } = persisted as { sha256Hash?: unknown }
  return typeof sha256Hash === 'string' ? sha256Hash.toLowerCase() : null
}

/** Clients recognize the messages of Apollo's protocol. */
function rejection(code: ErrorCode, message: string, status: number, spec = false): Error {
  return createGraphQLError(message, { extensions: { code, http: { spec, status } } })
}
