import { randomBytes } from 'node:crypto'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { McpAccess } from '../../config/setting-parsers.ts'
import { createKeyring } from '../../encryption/keyring.ts'
import { createConfirmations } from '../../mcp/confirmations.ts'
import { VIEWER } from '../../mcp/documents.ts'
import { createExecute, type GraphqlResult, type Send } from '../../mcp/execute.ts'
import { createMcpServer } from '../../mcp/mcp-server.ts'
import { ToolError } from '../../mcp/tool-error.ts'
import { toolsFor } from '../../mcp/tools.ts'
import { type ServerAccess, ServerError, sendRequest } from '../send-request.ts'

interface Options {
  readonly organization: string | undefined
  readonly access: McpAccess
}

/** Serves the tools that the key allows until standard input ends. Throws if the server does not accept the key. */
export async function serveTools(
  server: ServerAccess,
  { organization, access }: Options,
): Promise<void> {
  const execute = createExecute(sendTo(server, organization))
  const { viewer } = await execute({ document: VIEWER, variables: {} }).catch(explain)
  const { scopes, session } = viewer as { scopes: string[]; session: object | null }
  if (session) throw new ServerError('An agent needs an API key, not a session.')
  const tools = toolsFor(access, new Set(scopes))
  // One process serves one agent with one key, so its confirmations need no key that lasts.
  const used = new Set<string>()
  const confirmations = createConfirmations(
    createKeyring([randomBytes(32)]),
    async (id) => used.size < used.add(id).size,
  )
  const onFault = (error: unknown) => process.stderr.write(`error: ${textOf(error)}\n`)
  serveStdio(() => createMcpServer(tools, { execute, confirmations, callerId: '' }, onFault), {
    onerror: onFault,
  })
}

function sendTo(server: ServerAccess, organization: string | undefined): Send {
  const headers = organization === undefined ? {} : { 'posthorn-organization': organization }
  return async (body) => {
    const request = { method: 'POST', path: '/graphql', headers, body }
    try {
      const response = await sendRequest(server, request)
      const result = (await response.json()) as GraphqlResult
      if (result.data !== undefined || Array.isArray(result.errors)) return result
    } catch (error) {
      if (error instanceof ServerError) throw new ToolError(error.message)
    }
    throw new ToolError(`${server.url} does not respond like Posthorn. Check --server.`)
  }
}

/** Before the protocol begins, an error is one of the command. */
function explain(error: unknown): never {
  throw error instanceof ToolError ? new ServerError(error.message) : error
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
