import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'

export type Agent = Awaited<ReturnType<typeof connectAgent>>

/** Connects an agent to `/mcp` with an API key: the client of the protocol's SDK. */
export async function connectAgent(
  url: string,
  token: string,
  headers: Record<string, string> = {},
) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }))
  const result = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })) as CallToolResult
  return {
    client,
    /** The names of its tools, in their order. */
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** The whole result of a tool. */
    result,
    /** Calls a tool. Throws the text of an answer that says why nothing was done. */
    // biome-ignore lint/suspicious/noExplicitAny: the type depends on the tool
    async call(name: string, args?: Record<string, unknown>): Promise<any> {
      const answer = await result(name, args)
      if (answer.isError) throw new Error(textOf(answer))
      return answer.structuredContent
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
