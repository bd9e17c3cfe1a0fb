import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { type EventsOptions, registerEvents } from '../../packages/mcp-events/src/index.ts'

const ANY_RESULT = {
  '~standard': {
    version: 1,
    vendor: 'posthorn-tests',
    // biome-ignore lint/suspicious/noExplicitAny: the type depends on the method
    validate: (value: any) => ({ value }),
  },
} as const

/** An agent that is connected to the MCP server of a host. */
export interface Agent extends AsyncDisposable {
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the method
  request(method: string, params?: Record<string, unknown>): Promise<any>
}

/** The MCP server of a host, which knows a principal by the token of the request. */
export function createHost(options: Omit<EventsOptions, 'principal'>) {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'host', version: '1.0.0' })
    registerEvents(server, {
      ...options,
      principal: ({ http }) => (http?.authInfo ? { id: http.authInfo.clientId } : null),
    })
    return server
  })

  /** Null: nobody is signed in. */
  async function connect(principal: string | null): Promise<Agent> {
    const authInfo = principal && { token: 'checked', clientId: principal, scopes: [] }
    const transport = new StreamableHTTPClientTransport(new URL('https://host.example/mcp'), {
      fetch: async (url, init) =>
        await handler.fetch(new Request(url, init), authInfo ? { authInfo } : {}),
    })
    const client = new Client({ name: 'agent', version: '1.0.0' })
    await client.connect(transport)
    return {
      request: (method, params = {}) => client.request({ method, params }, ANY_RESULT),
      [Symbol.asyncDispose]: () => client.close(),
    }
  }

  return { connect }
}
