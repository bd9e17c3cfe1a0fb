import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { App } from '../app.ts'
import { type Config, readEnvironment } from '../config/config.ts'
import type { Role } from '../config/settings.ts'
import { restartOtherWorkersOption } from './restart-other-workers.ts'
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
      new Option(
        '--role <role>',
        'what this process does: both, only the API, or only deliveries; a worker listens too, for /healthz, /readyz and /metrics',
      )
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .addOption(restartOtherWorkersOption())
    .action(async (options: StartOptions) => {
      await runCommand(() => start(options))
      // All of ours is closed. A runner of graphile-worker that stumbled while Postgres was away may have left timers.
      process.exit()
    })
}

const LAUNCH_MS = 25

interface StartOptions {
  readonly role: Role
  readonly restartOtherWorkers: boolean
}

async function start({ role, restartOtherWorkers }: StartOptions): Promise<void> {
  const hurried = new AbortController()
  const stop = stopRequested(() => hurried.abort())
  const { openRuntime } = await import('../embedded/runtime.ts')
  const opening = openRuntime(readEnvironment())
  // Loading the rest keeps this process busy, so it begins once Postgres has had the time to be launched.
  const loading = sleep(LAUNCH_MS).then(() => import('../app.ts'))
  await using runtime = await opening
  const { startApp } = await loading
  // Until it is ready it ends when Postgres is away, and says so; from then on it waits for it to be back.
  let hasStarted = false
  await using app = await startApp(runtime, {
    role,
    restartOtherWorkers,
    hasStarted: () => hasStarted,
  })
  const { logger } = app.services
  runtime.keepDatabaseRunning({
    onRestart: () => logger.warn('the embedded Postgres was not running: started it again'),
    onError: (error) => logger.error({ error }, 'the embedded Postgres cannot be started again'),
  })
  // A worker alone serves none of what there would be to tell of.
  const isToTry = runtime.config.database === 'embedded' && role !== 'worker'
  const words = isToTry ? await provision(app, runtime.config) : ''
  hasStarted = true
  process.stderr.write(words)
  logger.info({ url: app.url, role }, 'ready')
  const signal = await stop
  logger.info({ signal }, 'stopping: finishing what is in flight')
  hurried.signal.addEventListener('abort', () => {
    logger.info('stopping at once: giving back what is in flight')
    app.abort()
  })
}

/** Makes what the embedded mode is tried out with. Answers what to say of it. */
async function provision({ services, url }: App, { dataDir, publicUrl }: Config): Promise<string> {
  const embedded = await import('../embedded/provision.ts')
  const token = await embedded.provisionEmbedded(services.database.prisma, dataDir)
  const signInLink = await embedded.embeddedSignInLink(services, dataDir)
  const keyFile = embedded.embeddedApiKeyFile(dataDir)
  return welcome({ url: publicUrl ?? url, token, keyFile, signInLink })
}

/**
 * The first signal asks to stop; a second one, of an impatient person, not to wait for what is in flight; a third ends
 * the process as it is.
 */
function stopRequested(abort: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const steps = [resolve, abort, () => process.exit(130)]
    let countsAgainAtMs = 0
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        // npm passes a terminal's Ctrl+C on as a second signal, so the next moment's does not count.
        if (performance.now() < countsAgainAtMs) return
        countsAgainAtMs = performance.now() + SAME_SIGNAL_WITHIN_MS
        steps.shift()?.(signal)
      })
    }
  })
}

const SAME_SIGNAL_WITHIN_MS = 1_000
