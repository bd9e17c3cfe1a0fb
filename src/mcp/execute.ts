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

/** Names each document by its hash: the server runs no other for an agent. */
export function createExecute(send: Send): Execute {
  return async ({ document, variables }) => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: hashOf(document) } }
    return dataOf(await send({ variables, extensions }))
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
  throw new ToolError(error.message)
}
