import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { type Config, LOOPBACK, loadConfig, readEnvironment } from '../config/config.ts'
import type { Role } from '../config/settings.ts'
import { saveServerUrl } from '../embedded/server-address.ts'
import { requireFreePorts } from '../server/free-port.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Threads } from '../threads/start-threads.ts'
import { notifySystemd } from './notify-systemd.ts'
import { restartOtherWorkersOption } from './restart-other-workers.ts'
import { runCommand } from './run-command.ts'
import { shutdownRequested } from './shutdown-signals.ts'
import { welcome } from './welcome.ts'

/** `posthorn start`: runs the API, the worker or both, until a signal. */
export function registerStart(program: Command): void {
  program
    .command('start')
    .summary('run the API and the worker')
    .description(
      'Migrates the database, then serves the API and sends deliveries in one process. SIGTERM or Ctrl+C stops it after the requests and attempts in flight; a second signal aborts the attempts.',
    )
    .addOption(
      new Option(
        '--role <role>',
        'what this process runs: the API and the worker, only the API, or only the worker; a worker also serves /healthz, /readyz and /metrics',
      )
        .choices(['all', 'api', 'worker'])
        .default('all'),
    )
    .addOption(restartOtherWorkersOption())
    .action(async (options: StartOptions) => {
      await runCommand(() => start(options))
      // Everything of Posthorn is closed, but graphile-worker may leave timers after a lost connection to Postgres.
      process.exit()
    })
}

const POSTGRES_LAUNCH_MS = 25

interface StartOptions {
  readonly role: Role
  readonly restartOtherWorkers: boolean
}

async function start({ role, restartOtherWorkers }: StartOptions): Promise<void> {
  const abortRequested = new AbortController()
  const stop = shutdownRequested(() => abortRequested.abort())
  const environment = readEnvironment()
  passOn(environment)
  // Before anything is created: the usual reason of a failed first start is another program on the port.
  await requireFreePorts(loadConfig(environment).config)
  const { openRuntime } = await import('../embedded/runtime.ts')
  const opening = openRuntime(environment)
  // Loading the modules keeps this process busy, so it waits until Postgres has been launched.
  const loading = sleep(POSTGRES_LAUNCH_MS).then(loadModules)
  await using runtime = await opening
  const { config, secrets } = runtime
  const { createLogger, migrateDatabase, startThreads } = await loading
  const logger = createLogger(config.logLevel)
  await migrateDatabase(secrets, {
    usesPooler: role !== 'worker',
    workerSchema: config.workerSchema,
    restartOtherWorkers,
  })
  // Until it is ready, the process exits if Postgres is unavailable; afterwards it waits until Postgres returns.
  let hasStarted = false
  await using threads = await startThreads(runtime, { role, logger, hasStarted: () => hasStarted })
  runtime.keepDatabaseRunning({
    onRestart: () => logger.warn('restarted the embedded Postgres, which was not running'),
    onError: (error) => logger.error({ error }, 'the embedded Postgres could not be restarted'),
  })
  warnOfEgress(config, logger)
  // A worker serves neither the console nor the APIs that the welcome message lists.
  const isTrial = config.database === 'embedded' && role !== 'worker'
  const welcomeText = isTrial ? await provision(threads, config) : ''
  await using _saved = isTrial ? await saveServerUrl(config.dataDir, threads.url) : null
  hasStarted = true
  process.stderr.write(welcomeText)
  logger.info({ url: threads.url, role }, 'ready')
  await notifySystemd('READY=1', logger)
  const reason = await stop
  logger.info({ reason }, 'stopping after the requests and attempts in flight')
  void notifySystemd('STOPPING=1', logger)
  abortRequested.signal.addEventListener('abort', () => {
    logger.info('aborting the attempts in flight and unclaiming their jobs')
    threads.abort()
  })
}

/** The OpenTelemetry SDK reads its settings from the environment of the process. */
function passOn(environment: ReturnType<typeof readEnvironment>): void {
  for (const [name, value] of Object.entries(environment)) {
    if (name.startsWith('OTEL_')) process.env[name] ??= value
  }
}

function warnOfEgress({ database, egressAllow, host }: Config, logger: Logger): void {
  if (egressAllow.length > 0) {
    const message = 'deliveries to these address ranges pass the address guard'
    logger.warn({ allow: egressAllow }, message)
  } else if (database === 'embedded') {
    const message = `deliveries to this machine are rejected, as other machines may reach HOST=${host}. To try them out, set POSTHORN_EGRESS_ALLOW=${LOOPBACK.join(',')}`
    logger.warn({ host }, message)
  }
}

async function loadModules() {
  const [{ createLogger }, { migrateDatabase }, { startThreads }] = await Promise.all([
    import('../telemetry/logger.ts'),
    import('../migrate/migrate-database.ts'),
    import('../threads/start-threads.ts'),
  ])
  return { createLogger, migrateDatabase, startThreads }
}

/** Creates the organization and the API key of embedded mode on the first start. Returns the welcome message. */
async function provision(threads: Threads, { dataDir, publicUrl }: Config): Promise<string> {
  return welcome({ url: publicUrl ?? threads.url, ...(await threads.provision(dataDir)) })
}
