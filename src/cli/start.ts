import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { readEnvironment } from '../config.ts'
import type { Role } from '../server.ts'
import { runCommand } from './run-command.ts'
import { welcome } from './welcome.ts'

/** `posthorn start`: the API, the worker or both, until a signal ends it. */
export function registerStart(program: Command): void {
  program
    .command('start')
    .summary('run the API and the worker')
    .description(
      'Migrates the database, then serves the API and delivers, in one process. SIGTERM or Ctrl+C finishes what is in flight, then ends.',
    )
    .addOption(
      new Option('--role <role>', 'what this process does: both, only the API, or only deliveries')
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .action(async ({ role }: { role: Role }) => {
      await runCommand(() => start(role))
    })
}

const LAUNCH_MS = 25

async function start(role: Role): Promise<void> {
  const stop = stopRequested()
  const { embeddedApiKeyFile, openRuntime, provisionEmbedded } = await import('../runtime.ts')
  const opening = openRuntime(readEnvironment())
  // Loading the rest keeps this process busy, so it begins once Postgres has had the time to be launched.
  const loading = sleep(LAUNCH_MS).then(() => import('../app.ts'))
  await using runtime = await opening
  const { startApp } = await loading
  await using app = await startApp(runtime, role)
  const { logger, database } = app.services
  if (runtime.config.database === 'embedded') {
    const { dataDir } = runtime.config
    const token = await provisionEmbedded(database.prisma, dataDir)
    process.stderr.write(welcome({ url: app.url, token, keyFile: embeddedApiKeyFile(dataDir) }))
  }
  logger.info({ url: app.url, role }, 'ready')
  const signal = await stop
  logger.info({ signal }, 'stopping: finishing what is in flight')
}

/** The first signal asks to stop; a second one, of an impatient person, ends the process at once. */
function stopRequested(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        resolve(signal)
        // npm passes a terminal's Ctrl+C on as a second signal, so the next moment's does not count.
        setTimeout(() => process.once(signal, () => process.exit(130)), 1_000).unref()
        process.on(signal, () => {})
      })
    }
  })
}
