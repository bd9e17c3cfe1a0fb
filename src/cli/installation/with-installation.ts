import type { Command } from 'commander'
import { loadConfig, readEnvironment } from '../../config/config.ts'
import { withServices } from '../run-command.ts'
import { NotExecuted } from '../send-request.ts'
import { keyFileOption, localServer, type ServerOptions, serverAccess } from '../server-access.ts'
import type { Installation } from './installation.ts'
import { serverInstallation } from './server-installation.ts'

/** Adds `--server` and `--key-file`. */
export function withServerOptions(command: Command, scopes: string): Command {
  return command
    .option(
      '--server <url>',
      'the URL of Posthorn (default: the server that runs with the same POSTHORN_DATA_DIR; if there is none, or with DATABASE_URL, the command uses the database)',
    )
    .addOption(keyFileOption(scopes))
}

/**
 * Calls `use` with the installation behind the server of the options. Without these options, behind the server of the data
 * directory; or in the database, if no such server runs, or if it refuses. A server that answers in time is about four
 * times as fast: the command opens nothing and checks no migrations. `use` is called again only if it had no effect.
 */
export async function withInstallation<T>(
  options: ServerOptions,
  use: (installation: Installation) => Promise<T>,
): Promise<T> {
  const isNamed = options.server !== undefined || options.keyFile !== undefined
  const { config } = loadConfig(readEnvironment(), { requireEncryptionKeys: false })
  const access = isNamed ? await serverAccess(options, config) : await localServer(config)
  if (access === null) return await inDatabase(use)
  try {
    return await use(serverInstallation(access))
  } catch (error) {
    if (isNamed || !(error instanceof NotExecuted)) throw error
    return await inDatabase(use)
  }
}

async function inDatabase<T>(use: (installation: Installation) => Promise<T>): Promise<T> {
  const { databaseInstallation } = await import('./database-installation.ts')
  return await withServices((services) => use(databaseInstallation(services)))
}
