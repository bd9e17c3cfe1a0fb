import { ToolError } from './tool-error.ts'
import { hashOf } from './trusted-documents.ts'
import type { TypedDocument } from './typed-document.ts'

/** Runs a document of the tools with the rights of the caller. Throws `ToolError`. */
export type Execute = <Data, Variables>(
  document: TypedDocument<Data, Variables>,
  variables: Variables,
) => Promise<Data>

export interface GraphqlRequest {
  readonly query?: string
  readonly variables: unknown
  readonly extensions: unknown
}

export interface GraphqlResult {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: string }
  }[]
}

/** Sends a request to `/graphql`, in this process or over HTTP. Throws `ToolError` if no answer comes. */
export type Send = (request: GraphqlRequest) => Promise<GraphqlResult>

/**
 * Names each document by its hash, so that it also runs where only trusted documents do. A server that takes any document
 * asks for the text once.
 */
export function createExecute(send: Send): Execute {
  return async <Data, Variables>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
  ) => {
    const query = document.toString()
    const extensions = { persistedQuery: { version: 1, sha256Hash: hashOf(query) } }
    const first = await send({ variables, extensions })
    const isUnknown = codeOf(first) === 'PERSISTED_QUERY_NOT_FOUND'
    return dataOf(isUnknown ? await send({ query, variables, extensions }) : first) as Data
  }
}

/** Fields that the caller may not read are null beside those that it may. */
function dataOf({ data, errors = [] }: GraphqlResult): unknown {
  const [error] = errors
  if (!error) return data
  const isPartial = Object.values(data ?? {}).some((value) => value !== null)
  if (isPartial && errors.every(({ extensions }) => extensions?.code === 'FORBIDDEN')) return data
  throw new ToolError(MESSAGES[error.extensions?.code ?? ''] ?? error.message)
}

const MESSAGES: Readonly<Record<string, string>> = {
  TRUSTED_DOCUMENT_NOT_FOUND:
    'The server runs trusted documents only, and not those of this version of `posthorn mcp`. Set POSTHORN_MCP to read or write on the server, and use the same version of Posthorn on both sides.',
  PERSISTED_QUERY_NOT_FOUND: 'This tool changes something, and POSTHORN_MCP is not write.',
}

function codeOf({ errors: [error] = [] }: GraphqlResult): string | undefined {
  return error?.extensions?.code
}
