import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import { type Config, loadConfig, readEnvironment } from '../config/config.ts'
import { isLoopbackHttp } from '../config/oidc-settings.ts'
import { readServerUrl } from '../embedded/server-address.ts'
import { type ServerAccess, ServerError, sendRequest } from './api.ts'
import { askSecret, readSecretFile } from './read-secret.ts'

export interface ServerOptions {
  readonly server?: string
  readonly keyFile?: string
  /** For commands with `ORGANIZATION`. */
  readonly organization?: string
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

/** An option of commands that act for one organization. */
export const ORGANIZATION = [
  '--organization <id>',
  'with a key of the scope admin: the organization to act for, org_… or its uid (default: that of the key)',
] as const

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

/** The server and the key of the options, for a command that needs no other settings. */
export async function openAccess(options: ServerOptions): Promise<ServerAccess> {
  return await serverAccess(options, loadClientConfig())
}

/**
 * The server and the key of the options. By default, the server that runs with the same data directory, and the API key
 * that this server wrote there on its first start. That key has all scopes: no other server gets it.
 */
export async function serverAccess(options: ServerOptions, config: Config): Promise<ServerAccess> {
  const own = await findOwnServer(config)
  const url = options.server ?? own ?? defaultUrl(config)
  const parsed = checkedUrl(url)
  const ownKey = parsed.origin === own ? await readOwnKey(config) : null
  const key = checkedKey(await findKey(url, options, ownKey))
  if (parsed.protocol === 'http:' && !isLoopbackHttp(parsed)) {
    process.stderr.write(
      `warning: ${url} is not https://, so others on the way can read the API key.\n`,
    )
  }
  return { url, key, organization: options.organization }
}

/** The origin of the server that runs with the data directory. Its HOST and PORT may differ from the settings here. */
async function findOwnServer({ dataDir }: Config): Promise<string | null> {
  const running = await readServerUrl(dataDir)
  if (running === null) return null
  const url = new URL(running)
  url.hostname = LOOPBACK[url.hostname] ?? url.hostname
  return url.origin
}

/** Where a server that listens on all addresses is reachable. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

function defaultUrl({ host, port }: Config): string {
  const url = new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  url.hostname = LOOPBACK[url.hostname] ?? url.hostname
  return url.origin
}

/** Null if there is none. */
async function readOwnKey({ dataDir }: Config): Promise<string | null> {
  const text = await readFile(path.join(dataDir, 'api-key'), 'utf8').catch(() => '')
  return IS_KEY.test(text.trim()) ? text.trim() : null
}

async function findKey(
  url: string,
  { server, keyFile }: ServerOptions,
  ownKey: string | null,
): Promise<string> {
  if (keyFile !== undefined) return await readSecretFile('--key-file', keyFile)
  const variable = readEnvironment()[KEY_VARIABLE]
  // Without --server, the variable may be meant for another server.
  const key = server === undefined ? ownKey || variable : variable || ownKey
  if (key) return key
  // A server that does not run needs no key.
  await sendRequest({ url, key: '' }, { method: 'GET', path: '/healthz' })
  if (process.stdin.isTTY) return await askSecret(`API key for ${url}: `)
  throw new ServerError(
    `There is no API key for ${url}, and no terminal to ask for it. Set ${KEY_VARIABLE}, or give --key-file.`,
  )
}

/** Throws if the URL is not that of a server. */
function checkedUrl(text: string): URL {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new ServerError(`${JSON.stringify(text)} is not the http:// or https:// URL of a server.`)
}

/** Throws for what fetch would reject with a message that contains the key. */
function checkedKey(text: string): string {
  const key = text.trim()
  if (IS_KEY.test(key)) return key
  throw new ServerError(
    'The API key is empty or contains spaces or line breaks. Give the full key, phk_….',
  )
}

const IS_KEY = /^[\x21-\x7e]+$/
