import { createKeyring, type Keyring } from '../auth/encryption/keyring.ts'
import type { Role, Settings } from '../config/settings.ts'
import { openPools, type Pools } from '../db/pools.ts'
import { createQueuedDeliveries } from '../deliveries/attempts/queued-deliveries.ts'
import { hasLittleMemory } from '../lib/little-memory.ts'
import { createNotifier, type Notify } from '../streams/live/notify.ts'
import { createLogger, type Logger } from '../telemetry/logger.ts'
import { createMetrics, type Metrics, watchPools } from '../telemetry/metrics.ts'
import { createOutageLog, type OutageLog } from '../telemetry/outages.ts'
import { currentOwner } from '../telemetry/request-log.ts'
import { createTracing, type Tracing } from '../telemetry/tracing.ts'

/** The services that the API, the worker and the commands share. */
export interface CommonServices extends AsyncDisposable {
  readonly logger: Logger
  readonly outages: OutageLog
  readonly metrics: Metrics
  readonly tracing: Tracing
  readonly database: Pools
  readonly keyring: Keyring
  /** Between the API and the worker of a process that runs both. */
  readonly queued: ReturnType<typeof createQueuedDeliveries> | null
  /** Notifies the subscribers of all processes. */
  readonly notify: Notify
}

/** Connections to Postgres for requests. */
const MAX_CONNECTIONS = 15

/** A worker alone notifies subscribers, and looks whether the process is ready. */
const MAX_CONNECTIONS_OF_WORKER = 2

/** A connection that has run every statement takes 30 MB in Postgres. */
const WITH_LITTLE_MEMORY = { maxConnections: 5, maxPipelineConnections: 3, maxJobConnections: 2 }

/** Opens the services, after this many restarts of the thread. They connect to Postgres on first use. */
export function openCommonServices(
  { config, secrets }: Settings,
  role: Role | 'command',
  restarts = 0,
): CommonServices {
  const metrics = createMetrics(role, restarts)
  const { count } = metrics
  const logger = createLogger(config.logLevel, (level) => count('log_lines', 1, level))
  const outages = createOutageLog(logger, (cause) => count('postgres_failures', 1, cause))
  const database = openPools(secrets.databaseUrl, {
    maxConnections: role === 'worker' ? MAX_CONNECTIONS_OF_WORKER : MAX_CONNECTIONS,
    ...(hasLittleMemory() && WITH_LITTLE_MEMORY),
    // The worker and commands connect directly.
    poolerUrl: role === 'all' || role === 'api' ? secrets.poolerUrl : null,
    // The pool replaces an idle connection that breaks. The watch of Postgres finds out whether this is an outage.
    onError: (error) => logger.debug({ error }, 'an idle connection to Postgres broke'),
    ownerOf: currentOwner,
  })
  watchPools(metrics.registry, database.pools)
  const notifier = createNotifier(database.pool, outages.warnOf('cannot notify subscribers'))
  return {
    logger,
    outages,
    metrics,
    tracing: createTracing(),
    database,
    keyring: createKeyring(secrets.encryptionKeys),
    queued: role === 'all' ? createQueuedDeliveries() : null,
    notify: notifier.notify,
    async [Symbol.asyncDispose]() {
      await notifier[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
