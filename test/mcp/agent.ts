import type { CallToolResult } from '@modelcontextprotocol/client'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** An agent that is connected to Posthorn: the client of the protocol's SDK. */
export interface Agent extends AsyncDisposable {
  readonly client: Client
  /** The names of its tools, in their order. */
  toolNames(): Promise<string[]>
  /** Calls a tool. Throws `ToolFailed` for an answer that is an error. */
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the tool
  call(name: string, args?: Record<string, unknown>): Promise<any>
  /** The whole result of a tool. */
  result(name: string, args?: Record<string, unknown>): Promise<CallToolResult>
}

/** An answer of a tool that says why nothing was done. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed'
}

/** Connects to `/mcp` with the value of an `Authorization` header. */
export async function connectAgent(
  url: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<Agent> {
  const client = newClient()
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
  })
  await client.connect(transport)
  return agentOf(client)
}

export function newClient(): Client {
  return new Client({ name: 'test', version: '1.0.0' })
}

export function agentOf(client: Client): Agent {
  const result = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult
  return {
    client,
    async toolNames() {
      return (await client.listTools()).tools.map(({ name }) => name)
    },
    result,
    async call(name, args) {
      const answer = await result(name, args)
      if (answer.isError) throw new ToolFailed(textOf(answer))
      return answer.structuredContent
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
