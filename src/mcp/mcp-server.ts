import { type CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { VERSION } from '../lib/version.ts'
import { toResult } from './answer.ts'
import { INSTRUCTIONS } from './instructions.ts'
import type { Tool, ToolContext } from './tool.ts'
import { ToolError } from './tool-error.ts'
import { fence, harmless } from './untrusted.ts'
import { withinTime } from './within-time.ts'

/** A server with these tools, for one request or one connection. */
export function createMcpServer(
  tools: readonly Tool[],
  context: ToolContext,
  onFault: (error: unknown) => void,
): McpServer {
  const server = new McpServer(
    { name: 'posthorn', title: 'Posthorn', version: VERSION },
    { instructions: INSTRUCTIONS, capabilities: { tools: {} } },
  )
  for (const tool of tools) {
    const { name, title, description, input, output, changes } = tool
    const annotations = {
      title,
      readOnlyHint: changes === null,
      destructiveHint: changes?.isDestructive ?? false,
      idempotentHint: changes?.isIdempotent ?? true,
      // Deliveries go to the servers of partners.
      openWorldHint: changes !== null,
    }
    server.registerTool(
      name,
      { title, description, inputSchema: input, outputSchema: output, annotations },
      (args) => call(tool, args, context, onFault),
    )
  }
  return server
}

async function call(
  tool: Tool,
  args: unknown,
  context: ToolContext,
  onFault: (error: unknown) => void,
): Promise<CallToolResult> {
  try {
    return toResult(await withinTime(tool.run(args as never, context)))
  } catch (error) {
    if (!(error instanceof ToolError)) onFault(error)
    return toError(error)
  }
}

const MAX_MESSAGE = 1_000

function toError(error: unknown): CallToolResult {
  if (!(error instanceof ToolError)) return textOfError(FAULT)
  const message = String(harmless(error.message, MAX_MESSAGE))
  if (error.detail === null) return textOfError(message)
  return textOfError(`${message}\n\n${fence(harmless(error.detail, MAX_MESSAGE))}`)
}

const FAULT = 'Internal error. Nothing may have been done. The log of Posthorn has the details.'

function textOfError(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}
