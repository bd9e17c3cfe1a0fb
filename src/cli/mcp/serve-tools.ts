import { randomBytes } from 'node:crypto'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { McpAccess } from '../../config/setting-parsers.ts'
import { createKeyring } from '../../encryption/keyring.ts'
import { createConfirmations } from '../../mcp/confirmations.ts'
import { VIEWER } from '../../mcp/documents.ts'
import { createExecute } from '../../mcp/execute.ts'
import { createMcpServer } from '../../mcp/mcp-server.ts'
import { ToolError } from '../../mcp/tool-error.ts'
import { toolsFor } from '../../mcp/tools.ts'
import { executeOperation, type ServerAccess, ServerError } from '../api.ts'

/** Serves the tools that the key allows until standard input ends. Throws if the server does not accept the key. */
export async function serveTools(server: ServerAccess, access: McpAccess): Promise<void> {
  const execute = createExecute(async (body) => {
    try {
      return await executeOperation(server, body)
    } catch (error) {
      throw error instanceof ServerError ? new ToolError(error.message) : error
    }
  })
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

/** Before the protocol begins, an error is one of the command. */
function explain(error: unknown): never {
  throw error instanceof ToolError ? new ServerError(error.message) : error
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
