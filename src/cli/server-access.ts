import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../config/config.ts'
import { readServerUrl } from '../embedded/server-address.ts'
import { displayPath } from './listen/display-path.ts'
import { type ServerAccess, ServerError } from './send-request.ts'

/** The options `--server` and `--key`. */
export interface ServerOptions {
  readonly server?: string
  readonly key?: string
}

/**
 * The server and the key of the options. By default, the server that runs with the same data directory, and the API key
 * that this server wrote there on its first start.
 */
export async function serverAccess(options: ServerOptions, config: Config): Promise<ServerAccess> {
  const url = options.server ?? (await findServer(config))
  return checked({ url, key: options.key ?? (await readApiKey(config)) })
}

/** The server that runs with the same data directory. Null with DATABASE_URL, or if no server or no key is there. */
export async function localServer(config: Config): Promise<ServerAccess | null> {
  if (config.database === 'external') return null
  const url = await readServerUrl(config.dataDir)
  if (url === null) return null
  try {
    return checked({ url: reachableUrl(url), key: await readApiKey(config) })
  } catch {
    return null
  }
}

/** The running server comes first: it may have another HOST and PORT than the settings of this process. */
async function findServer({ dataDir, host, port }: Config): Promise<string> {
  const running = await readServerUrl(dataDir)
  return reachableUrl(running ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`)
}

function reachableUrl(serverUrl: string): string {
  const url = new URL(serverUrl)
  url.hostname = LOOPBACK[url.hostname] ?? url.hostname
  return url.origin
}

/** Where a server that listens on all addresses is reachable. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

async function readApiKey({ dataDir }: Config): Promise<string> {
  const file = path.join(dataDir, 'api-key')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new Error(
      `There is no API key in ${displayPath(file)} (${(error as NodeJS.ErrnoException).code}). ` +
        'Give one with --key, or run `npm start` first: without DATABASE_URL it writes one.',
    )
  }
}

/** Throws if the URL or the key cannot be sent, with a message that does not contain the key. */
function checked({ url, key }: ServerAccess): ServerAccess {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new ServerError(`${JSON.stringify(url)} is not the http:// or https:// URL of a server.`)
  }
  // Otherwise fetch would reject the header with a message that contains the key.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ServerError(
      'The API key is empty or contains spaces or line breaks. Give the full key, phk_….',
    )
  }
  return { url, key }
}
