import { ToolError } from './tool-error.ts'
import { hashOf } from './trusted-documents.ts'

/** A document of the tools with its variables. */
export interface Operation {
  readonly document: string
  readonly variables: Readonly<Record<string, unknown>>
}

export type Data = Readonly<Record<string, unknown>>

/** Runs an operation with the rights of the caller. Throws `ToolError`. */
export type Execute = (operation: Operation) => Promise<Data>

export interface GraphqlRequest {
  readonly query?: string
  readonly variables: unknown
  readonly extensions: unknown
}

export interface GraphqlResult {
  readonly data?: Data | null
  readonly errors?: readonly {
    readonly message: string
    readonly extensions?: { readonly code?: string }
  }[]
}

/** Sends a request to `/graphql`. Throws `ToolError` if no answer comes. */
export type Send = (request: GraphqlRequest) => Promise<GraphqlResult>

/**
 * Names each document by its hash, so that it also runs where only trusted documents do. A server that takes any document
 * asks for the text once.
 */
export function createExecute(send: Send): Execute {
  return async ({ document, variables }) => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: hashOf(document) } }
    const first = await send({ variables, extensions })
    const isUnknown = first.errors?.[0]?.extensions?.code === 'PERSISTED_QUERY_NOT_FOUND'
    return dataOf(isUnknown ? await send({ query: document, variables, extensions }) : first)
  }
}

/** Fields that the caller may not read are null beside those that it may. */
function dataOf({ data, errors: [error, ...others] = [] }: GraphqlResult): Data {
  if (!error) return data ?? {}
  const isPartial = Object.values(data ?? {}).some((value) => value !== null)
  const areForbidden = [error, ...others].every(
    ({ extensions }) => extensions?.code === 'FORBIDDEN',
  )
  if (data && isPartial && areForbidden) return data
  throw new ToolError(MESSAGES[error.extensions?.code ?? ''] ?? error.message)
}

const MESSAGES: Readonly<Record<string, string>> = {
  PERSISTED_QUERY_NOT_FOUND: 'This tool changes something, and POSTHORN_MCP is not write.',
}
