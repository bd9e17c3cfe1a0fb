import { type Config, LOOPBACK } from '../config/config.ts'
import type { Environment } from '../config/setting-files.ts'
import type { Role, Settings } from '../config/settings.ts'
import { migrateDatabase } from '../db/migrate/migrate-database.ts'
import { createLogger, type Logger } from '../telemetry/logger.ts'
import type { Running } from './app.ts'
import type { Provisioned } from './embedded/provision.ts'
import { openRuntime } from './embedded/runtime.ts'
import { saveServerUrl } from './embedded/server-address.ts'

/** A process of Posthorn that is ready. Disposing of it finishes what is in flight, and stops the embedded Postgres. */
interface OpenPosthorn extends AsyncDisposable {
  readonly config: Config
  readonly logger: Logger
  /** The URL of the server, such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** The organization and the key of embedded mode. Null without it, and for a worker. */
  readonly provisioned: Provisioned | null
  /** The URL of the database, with its password. */
  readonly databaseUrl: string
  readonly publish: Running['publish']
  /** Makes a shutdown unclaim the jobs in flight instead of finishing them. */
  abort(): void
}

interface OpenOptions {
  readonly role: Role
  /** Whether the process has another purpose: Posthorn then runs on threads of its own, and never ends the process. */
  readonly isGuest: boolean
}

/** Migrates the database and runs the API, the worker or both. Rejects if Postgres is unavailable before it is ready. */
export async function openPosthorn(
  environment: Environment,
  { role, isGuest }: OpenOptions,
): Promise<OpenPosthorn> {
  await using opened = new AsyncDisposableStack()
  const runtime = opened.use(await openRuntime(environment))
  const { config, secrets } = runtime
  const logger = createLogger(config.logLevel)
  await migrateDatabase(secrets, {
    usesPooler: role !== 'worker',
    workerSchema: config.workerSchema,
  })
  const running = opened.use(await start(role, runtime, logger, isGuest))
  runtime.keepDatabaseRunning({
    onRestart: () => logger.warn('restarted the embedded Postgres, which was not running'),
    onError: (error) => logger.error({ error }, 'the embedded Postgres could not be restarted'),
  })
  // A worker has neither the console nor the APIs that the commands call.
  const isTrial = role !== 'worker' && config.database === 'embedded'
  const provisioned = isTrial ? await running.provision(config.dataDir) : null
  if (provisioned) opened.use(await saveServerUrl(config.dataDir, running.url))
  warnOfEgress(config, logger)
  const resources = opened.move()
  return {
    config,
    logger,
    url: running.url,
    provisioned,
    databaseUrl: secrets.databaseUrl,
    publish: (event) => running.publish(event),
    abort: () => running.abort(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/**
 * A role alone runs on the main thread, except of a guest: a fault ends the process, which its process manager starts again.
 * Loaded on demand: a thread that supervises others needs none of their modules.
 */
async function start(role: Role, settings: Settings, logger: Logger, isGuest: boolean) {
  if (role === 'all' || isGuest) {
    const { startThreads } = await import('./start-threads.ts')
    return await startThreads(role, settings, logger)
  }
  const { startApp } = await import('./app.ts')
  return await startApp(settings, { role })
}

/** Says which other addresses than public ones deliveries may reach, or why those of this machine are not among them. */
function warnOfEgress({ database, egressAllow, host }: Config, logger: Logger): void {
  if (egressAllow === LOOPBACK) return
  if (egressAllow.length > 0) {
    const message = 'deliveries may reach these address ranges, public or not'
    logger.warn({ allow: egressAllow }, message)
  } else if (database === 'embedded') {
    const message = `deliveries to this machine are rejected, as other machines may reach HOST=${host}. To try them out, set POSTHORN_EGRESS_ALLOW=${LOOPBACK.join(',')}`
    logger.warn({ host }, message)
  }
}
