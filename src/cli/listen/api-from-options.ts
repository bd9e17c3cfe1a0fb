import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../config/config.ts'
import { type ConnectApi, createConnectApi } from '../connect-api.ts'
import { displayPath } from './display-path.ts'

/**
 * A client of the REST API. By default it uses the server that runs with the same settings, and the API key that
 * this server wrote to the data directory on its first start.
 */
export async function createApiFromOptions(
  options: { readonly server?: string; readonly key?: string },
  config: Config,
): Promise<ConnectApi> {
  const server = options.server ?? serverUrl(config)
  return createConnectApi(server, options.key ?? (await readApiKey(config)))
}

function serverUrl({ host, port }: Config): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

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
