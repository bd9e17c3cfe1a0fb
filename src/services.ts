import { type Authenticate, createAuthenticate } from './api-keys/authenticate.ts'
import { findInactiveKeys } from './api-keys/inactive-keys.ts'
import type { Config, Secrets } from './config/config.ts'
import { type Database, openDatabase } from './db/client.ts'
import { createKeyring } from './encryption/keyring.ts'
import { createCatalogue } from './event-types/event-type.ts'
import { createPublishEvents, type PublishEvents } from './events/publish-events.ts'
import { createLiveHub, type LiveHub } from './live/hub.ts'
import { createNotifier, type Notify } from './live/notify.ts'
import { createAddressGuard } from './outbound/public-address.ts'
import { createRateLimiter, type RateLimiter } from './rate-limit/rate-limiter.ts'
import {
  type AuthenticateSession,
  createAuthenticateSession,
} from './sessions/authenticate-session.ts'
import { findEndedSessions } from './sessions/ended-sessions.ts'
import { createLogger, type Logger } from './telemetry/logger.ts'
import { createMetrics, type Metrics } from './telemetry/metrics.ts'
import type { WebhookDeps } from './webhooks/webhook.ts'

/** A configuration with nothing left open: the database is known, and so are the keys. */
export interface Settings {
  readonly config: Config
  readonly secrets: Secrets & {
    readonly databaseUrl: string
    readonly encryptionKeys: readonly Buffer[]
  }
  /** Certificate authorities to trust besides those of the configuration, as PEM. */
  readonly trustedAuthorities?: readonly string[]
  /** The clock of deliveries and of the breaker. Default: the machine's. */
  readonly now?: () => Date
}

/** What the transports and the commands work with. */
export interface Services extends AsyncDisposable {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly database: Database
  readonly authenticate: Authenticate
  readonly authenticateSession: AuthenticateSession
  readonly rateLimiter: RateLimiter
  readonly webhooks: WebhookDeps
  readonly publishEvents: PublishEvents
  /** Tells the streams of all processes what happened. */
  readonly notify: Notify
  /** The streams of this process. */
  readonly live: LiveHub
}

/** Postgres connections of one process, besides the worker runner's (`src/queue/runner-pool.ts`). */
const MAX_CONNECTIONS = 15

/** Everything but the socket and the worker. Postgres is reached when it is first needed. */
export function openServices({ config, secrets }: Settings): Services {
  const logger = createLogger(config.logLevel)
  const database = openDatabase(secrets.databaseUrl, {
    maxConnections: MAX_CONNECTIONS,
    onError: (error) => logger.warn({ error }, 'a connection to Postgres broke'),
  })
  const rateLimiter = createRateLimiter({
    sql: database.pool,
    onError: (error) => logger.warn({ error }, 'cannot share what API keys used'),
  })
  const notifier = createNotifier(database.pool, (error) =>
    logger.warn({ error }, 'cannot tell subscribers what happened'),
  )
  const live = createLiveHub({
    databaseUrl: secrets.databaseUrl,
    sql: database.pool,
    findInactiveKeys: (keyIds) => findInactiveKeys(database.pool, keyIds),
    findEndedSessions: (sessionIds) => findEndedSessions(database.pool, sessionIds),
    onError: (error) => logger.warn({ error }, 'the connection that subscriptions listen on broke'),
  })
  return {
    logger,
    metrics: createMetrics(),
    database,
    authenticate: createAuthenticate(database.pool),
    authenticateSession: createAuthenticateSession(database.pool),
    rateLimiter,
    webhooks: {
      prisma: database.prisma,
      keyring: createKeyring(secrets.encryptionKeys),
      guard: createAddressGuard(config.egressAllow),
      headerPrefix: config.headerPrefix,
    },
    publishEvents: createPublishEvents(database.pipeline, createCatalogue(database.pool)),
    notify: notifier.notify,
    live,
    async [Symbol.asyncDispose]() {
      await rateLimiter[Symbol.asyncDispose]()
      await notifier[Symbol.asyncDispose]()
      await live[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
