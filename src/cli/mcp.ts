import type { Command } from 'commander'
import { loadConfig, readEnvironment } from '../config/config.ts'
import { runCommand } from './run-command.ts'
import { keyFileOption, type ServerOptions, serverAccess } from './server-access.ts'

interface McpOptions extends ServerOptions {
  readonly organization?: string
  readonly allowWrites?: boolean
}

/** `posthorn mcp`: the tools for agents over standard input and output. */
export function registerMcp(program: Command): void {
  program
    .command('mcp')
    .summary('serve the tools for agents over stdio')
    .description(
      'Serves the Model Context Protocol over standard input and output, for an agent on this machine that starts the command. The tools call the GraphQL API of Posthorn with an API key: the agent can do what the scopes of the key allow, and no more. Nothing but the protocol is printed on stdout.',
    )
    .option(
      '--server <url>',
      'the URL of Posthorn (default: the server that runs with the same POSTHORN_DATA_DIR, or from HOST and PORT, http://127.0.0.1:4000)',
    )
    .addOption(
      keyFileOption(
        'the scopes webhooks:read, deliveries:read and events:read, or fewer',
        'POSTHORN_API_KEY',
      ),
    )
    .option(
      '--organization <id>',
      'with a key of the scope admin: the organization to act for, org_… or its uid',
    )
    .option('--allow-writes', 'also serve the tools that change something')
    .addHelpText(
      'after',
      `
Example, as an entry of an agent's configuration:
  {"command": "posthorn", "args": ["mcp", "--server", "https://posthorn.example.com"], "env": {"POSTHORN_API_KEY": "phk_…"}}

Exit status: 0 when the agent closes standard input, 1 if the server does not accept the key.`,
    )
    .action(async ({ organization, allowWrites, ...options }: McpOptions) => {
      await runCommand(async () => {
        if (options.keyFile === '-') {
          throw new Error('--key-file: standard input has the protocol. Name a file.')
        }
        const { config } = loadConfig(readEnvironment(), { requireEncryptionKeys: false })
        const access = await serverAccess(options, config, { isForAgent: true })
        const { serveTools } = await import('./mcp/serve-tools.ts')
        await serveTools(access, { organization, access: allowWrites ? 'write' : 'read' })
      })
    })
}
