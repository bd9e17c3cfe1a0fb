import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../config/config.ts'
import { readServerUrl } from '../../embedded/server-address.ts'
import { type ConnectApi, checkServer, createConnectApi } from '../connect-api.ts'
import { displayPath } from './display-path.ts'

/** A client of the REST API. */
export async function createApiFromOptions(
  options: { readonly server?: string; readonly key?: string },
  config: Config,
): Promise<ConnectApi> {
  const { server, key } = await serverFromOptions(options, config)
  return createConnectApi(server, key)
}

/**
 * The server and the API key to use. The defaults are the server that runs with the same data directory, and the API key
 * that this server wrote there on its first start.
 */
export async function serverFromOptions(
  options: { readonly server?: string; readonly key?: string },
  config: Config,
): Promise<{ readonly server: string; readonly key: string }> {
  const server = options.server ?? (await findServer(config))
  const key = options.key ?? (await readApiKey(config))
  checkServer(server, key)
  return { server, key }
}

/** The running server comes first: it may have another HOST and PORT than the settings of this process. */
async function findServer({ dataDir, host, port }: Config): Promise<string> {
  const running = await readServerUrl(dataDir)
  const url = new URL(running ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`)
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
