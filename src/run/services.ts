import { createRateLimiter, type RateLimiter } from '../auth/access/rate-limit.ts'
import { type Authenticate, createAuthenticate, findEnded } from '../auth/api-keys/authenticate.ts'
import { type AuthenticateSession, createAuthenticateSession } from '../auth/sessions/session.ts'
import { heapShare, type Settings } from '../config/settings.ts'
import { type Database, openPrisma } from '../db/client.ts'
import { createChallengeSender } from '../deliveries/challenge-sender.ts'
import { createCatalogue } from '../event-types/event-type.ts'
import { createPublishEvents, type PublishEvents } from '../events/publish-events.ts'
import { createAddressGuard } from '../outbound/public-address.ts'
import { LiveHub } from '../streams/live/hub.ts'
import { measurePublishing } from '../telemetry/events.ts'
import type { WebhookDeps } from '../webhooks/webhook.ts'
import { type CommonServices, openCommonServices } from './common-services.ts'

/** The services of the API and of the commands. */
export interface Services extends CommonServices {
  readonly database: Database
  readonly authenticate: Authenticate
  readonly authenticateSession: AuthenticateSession
  readonly rateLimiter: RateLimiter
  readonly webhooks: WebhookDeps
  readonly publishEvents: PublishEvents
  /** The subscriptions of this process. */
  readonly live: LiveHub
}

/** Opens the services of a command. They connect to Postgres on first use. */
export function openServices(settings: Settings): Services {
  const common = openCommonServices(settings, 'command')
  const services = addServices(common, settings)
  return {
    ...services,
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]()
      await common[Symbol.asyncDispose]()
    },
  }
}

const SHARE_OF_CATALOGUE = 1 / 8

/** Adds the services of the API to the common ones, which stay open when it is disposed of. */
export function addServices(common: CommonServices, settings: Settings): Services {
  const { config, secrets } = settings
  const { keyring, outages, metrics, tracing } = common
  const { pool, pipeline } = common.database
  const prisma = openPrisma(pool)
  const challenges = createChallengeSender(settings)
  const rateLimiter = createRateLimiter()
  const live = new LiveHub({
    databaseUrl: secrets.databaseUrl,
    sql: pool,
    findEnded: (callers) => findEnded(pool, callers),
    onError: outages.warnOf('the connection of the subscriptions to Postgres broke'),
  })
  metrics.show('subscriptions', () => live.size)
  const catalogue = createCatalogue(pool, heapShare(config, SHARE_OF_CATALOGUE))
  const publish = createPublishEvents(pipeline, catalogue, {
    countUndecided: (events) => metrics.count('undecided_checks', events),
    tracing,
    onQueued: common.queued?.add,
  })
  return {
    ...common,
    database: { ...common.database, prisma },
    authenticate: createAuthenticate(pool),
    authenticateSession: createAuthenticateSession(pool),
    rateLimiter,
    webhooks: {
      prisma,
      keyring,
      guard: createAddressGuard(config.egressAllow),
      headerPrefix: config.headerPrefix,
      sendChallenge: challenges.sendChallenge,
    },
    publishEvents: measurePublishing(metrics, publish),
    live,
    async [Symbol.asyncDispose]() {
      await challenges[Symbol.asyncDispose]()
      await live[Symbol.asyncDispose]()
      await prisma.$disconnect()
    },
  }
}
