import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../config/config.ts'
import { type ConnectApi, connectApi } from '../connect-api.ts'
import { shownPath } from './shown-path.ts'

/** The API of the server that the same settings start, with the key it writes on its first run, unless told otherwise. */
export async function openOwnApi(
  given: { readonly server?: string; readonly key?: string },
  config: Config,
): Promise<ConnectApi> {
  return connectApi(given.server ?? ownServer(config), given.key ?? (await readOwnKey(config)))
}

function ownServer({ host, port }: Config): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

async function readOwnKey({ dataDir }: Config): Promise<string> {
  const file = path.join(dataDir, 'api-key')
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new Error(
      `There is no API key in ${shownPath(file)} (${(error as NodeJS.ErrnoException).code}). ` +
        'Give one with --key, or run `npm start` first: without DATABASE_URL it writes one.',
    )
  }
}
