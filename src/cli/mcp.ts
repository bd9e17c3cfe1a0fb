import type { Command } from 'commander'
import { runCommand } from './run-command.ts'
import { ORGANIZATION, openAccess, type ServerOptions, withServerOptions } from './server-access.ts'

interface McpOptions extends ServerOptions {
  readonly allowWrites?: boolean
}

/** `posthorn mcp`: the tools for agents over standard input and output. */
export function registerMcp(program: Command): void {
  const scopes = 'the scopes webhooks:read, deliveries:read and events:read, or fewer'
  withServerOptions(program.command('mcp'), scopes, { isForAgent: true })
    .summary('serve the tools for agents over stdio')
    .description(
      'Serves the Model Context Protocol over standard input and output, for an agent on this machine that starts the command. The tools call the GraphQL API of Posthorn with an API key: the agent can do what the scopes of the key allow, and no more. Nothing but the protocol is printed on stdout.',
    )
    .option(...ORGANIZATION)
    .option('--allow-writes', 'also serve the tools that change something')
    .addHelpText(
      'after',
      `
Example, as an entry of an agent's configuration:
  {"command": "posthorn", "args": ["mcp", "--server", "https://posthorn.example.com"], "env": {"POSTHORN_API_KEY": "phk_…"}}

Exit status: 0 when the agent closes standard input, 1 if the server does not accept the key.`,
    )
    .action(async ({ allowWrites, ...options }: McpOptions) => {
      await runCommand(async () => {
        if (options.keyFile === '-') {
          throw new Error('--key-file: standard input has the protocol. Name a file.')
        }
        const access = await openAccess(options, { isForAgent: true })
        const { serveTools } = await import('./mcp/serve-tools.ts')
        await serveTools(access, allowWrites ? 'write' : 'read')
      })
    })
}
