import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations'
import { createGraphQLError, type Plugin } from 'graphql-yoga'
import type { ErrorCode } from './error-codes.ts'

/** Documents by hash, as written by the `persistedDocuments` option of GraphQL codegen. */
export type TrustedDocuments = Readonly<Record<string, string>>

/**
 * Runs only these documents, so that a leaked API key gives access to no more than the frontend queries. A request names
 * a document by hash in `extensions.persistedQuery`, as Apollo and urql do, and sends no document itself.
 */
export function useTrustedDocuments(documents: TrustedDocuments): Plugin {
  const byHash = new Map(Object.entries(documents))
  return usePersistedOperations({
    getPersistedOperation: (hash) => byHash.get(hash) ?? null,
    customErrors: {
      persistedQueryOnly: () =>
        rejection(
          'TRUSTED_DOCUMENTS_ONLY',
          `Only trusted documents run here. Leave out \`query\`; ${HOW_TO_NAME}`,
        ),
      keyNotFound: () =>
        rejection('TRUSTED_DOCUMENTS_ONLY', `Only trusted documents run here: ${HOW_TO_NAME}`),
      notFound: () =>
        rejection(
          'TRUSTED_DOCUMENT_NOT_FOUND',
          'No trusted document has this hash. Deploy the list that your client was built with (POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS).',
        ),
    },
  })
}

const HOW_TO_NAME =
  'send its hash as `"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "…"}}`.'

function rejection(code: ErrorCode, message: string): Error {
  return createGraphQLError(message, {
    extensions: { code, http: { spec: true, status: 400 } },
  })
}
