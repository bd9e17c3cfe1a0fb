import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import { type Client, type ClientOptions, createClient } from '../../packages/client/src/index.ts'
import { type Config, loadConfig, readEnvironment } from '../config/config.ts'
import { isLoopbackHttp } from '../config/oidc-settings.ts'
import { readServerUrl } from '../run/embedded/server-address.ts'
import { type Printed, printing, readInput } from './command.ts'

export interface ServerOptions {
  readonly server?: string
  readonly keyFile?: string
  readonly organization?: string
  readonly json?: boolean
}

/** The same for a command that calls a server. */
export function call<Args extends readonly unknown[]>(
  body: (client: Client, ...args: Args) => Promise<Printed>,
) {
  return printing(async (...args: Args) => {
    const access = await serverAccess(args.at(-1) as ServerOptions)
    return await body(createClient(access), ...args)
  })
}

const KEY_VARIABLE = 'POSTHORN_API_KEY'

/**
 * Adds `--server` and `--key-file`. There is no option for the key itself, because other users of the machine can read the
 * arguments of programs. `when` says with which other options these have a meaning.
 */
export function withServerOptions(command: Command, scopes: string, when = ''): Command {
  const key = `with --server, ${KEY_VARIABLE}; otherwise the key in <POSTHORN_DATA_DIR>/api-key`
  return command
    .option(
      '--server <url>',
      `${when}the URL of Posthorn (default: the server that runs with the same POSTHORN_DATA_DIR, or from HOST and PORT, http://127.0.0.1:4000)`,
    )
    .option(
      '--key-file <file>',
      `a file with an API key, phk_…, with ${scopes}; - reads standard input (default: ${key})`,
    )
}

/** The same for a command that acts for one organization. */
export function withOrganization(command: Command, scopes: string): Command {
  return withServerOptions(command, scopes).option(
    '--organization <id>',
    'with a key of the scope admin: the organization to act for, org_… or its uid (default: that of the key)',
  )
}

/** The settings that say where the server of this folder is, and how its headers are named. */
const CLIENT_SETTINGS = ['POSTHORN_DATA_DIR', 'HOST', 'PORT', 'POSTHORN_HEADER_PREFIX']

/**
 * The settings of a command that talks to a server. It reads no others: the variables of a host application, such as its
 * DATABASE_URL, do not concern it.
 */
export function loadClientConfig(): Config {
  const names = CLIENT_SETTINGS.flatMap((name) => [name, `${name}_FILE`])
  const given = Object.entries(readEnvironment()).filter(([name]) => names.includes(name))
  return loadConfig(Object.fromEntries(given)).config
}

/**
 * The server and the key of the options, for one try of each request. By default, the server that runs with the same data
 * directory, and the API key that this server wrote there on its first start. That key has all scopes: no other server gets it.
 */
export async function serverAccess(
  options: ServerOptions,
  { dataDir, host, port }: Config = loadClientConfig(),
): Promise<ClientOptions> {
  const { server, keyFile, organization } = options
  // Its HOST and PORT may differ from the settings here.
  const own = originOf(await readServerUrl(dataDir))
  const configured = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const url = server ?? own ?? originOf(configured) ?? configured
  const parsed = URL.parse(url)
  const isOwn = own !== null && parsed?.origin === own
  const ownKey = isOwn && (await readFile(path.join(dataDir, 'api-key'), 'utf8').catch(() => ''))
  const variable = readEnvironment()[KEY_VARIABLE]
  // Without --server, the variable may be meant for another server.
  const key = server === undefined ? ownKey || variable : variable || ownKey
  const given = keyFile === undefined ? key : String(await readInput(keyFile))
  if (!given) {
    const remedy = `There is no API key for ${url}. Set ${KEY_VARIABLE}, or give --key-file.`
    const start = ' If Posthorn has its own Postgres, start Posthorn first: npm start'
    throw new Error(`${remedy}${server === undefined ? start : ''}`)
  }
  if (parsed?.protocol === 'http:' && !isLoopbackHttp(parsed)) {
    process.stderr.write(
      `warning: ${url} is not https://, so others on the way can read the API key.\n`,
    )
  }
  return { url, token: given.trim(), organization, timeoutMs: 0 }
}

/** Where a server is reachable, also one that listens on all addresses. */
function originOf(text: string | null): string | null {
  const url = URL.parse(text ?? '')
  if (url?.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url?.hostname === '[::]') url.hostname = '[::1]'
  return url?.origin ?? null
}
