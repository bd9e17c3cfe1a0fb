import { type Config, ConfigError, LOOPBACK, SETTINGS } from '../config/config.ts'
import type { Environment } from '../config/setting-files.ts'
import type { Role, Settings } from '../config/settings.ts'
import { explainFailure } from '../db/explain-failure.ts'
import { migrateDatabase } from '../db/migrate/migrate.ts'
import type { PublishedEvent } from '../events/publish-events.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { readGeneratedSecret } from '../lib/generated-secret.ts'
import { createLogger, type Logger } from '../telemetry/logger.ts'
import type { Running } from './app.ts'
import { openRuntime } from './embedded/runtime.ts'
import { saveServerUrl } from './embedded/server-address.ts'
import type { HostEvent } from './publish-for-host.ts'

export type { PublishedEvent } from '../events/publish-events.ts'
export type { HostEvent } from './publish-for-host.ts'

/** Posthorn in this process. Disposing of it finishes the requests and attempts in flight, and closes everything. */
export interface Posthorn extends AsyncDisposable {
  /** The URL of the server, such as `http://127.0.0.1:4000`. */
  readonly url: string
  /** The URL of its database, with the password, for your own SQL: `posthorn.publish_event` in your transaction. */
  readonly databaseUrl: string
  /** The API key of embedded mode, with all scopes. Null with `databaseUrl`, and for a worker. */
  readonly apiKey: string | null
  /**
   * Publishes an event by the rules of the mutation `publishEvent`. Rejects with what is wrong with the event, and for a
   * process of the role `worker`.
   */
  publish(event: HostEvent): Promise<PublishedEvent>
}

/**
 * Runs Posthorn in this process, as `posthorn start` does, on a thread of its own. Resolves when it is ready, after it has
 * migrated the database. It reads no environment variables but those of OpenTelemetry and no `.env`, handles no signals
 * and never ends the process. A process can run several, each with a port of its own.
 *
 * Without `databaseUrl`, it uses an embedded Postgres in `dataDir`; with it, `encryptionKeys` is required.
 *
 * Rejects with an error that says what to change: every wrong option at once, a port in use, a database that cannot be
 * reached.
 *
 * @example
 * await using posthorn = await startPosthorn({
 *   databaseUrl: 'postgres://posthorn:secret@db.internal/app',
 *   encryptionKeys: process.env.POSTHORN_ENCRYPTION_KEYS ?? '',
 *   port: 4000,
 * })
 * await posthorn.publish({ type: 'order.paid', data: { order: 9001 } })
 */
export async function startPosthorn(options: PosthornOptions = {}): Promise<Posthorn> {
  if (Number.parseInt(process.versions.node, 10) < 24) {
    throw new Error(`posthorn needs Node 24 or newer; this is ${process.version}.`)
  }
  try {
    const { environment, ...others } = readOptions(options)
    const posthorn = await openPosthorn(environment, { ...others, isGuest: true })
    const { url, databaseUrl, provisioned, publish } = posthorn
    const apiKey = provisioned && (await readGeneratedSecret(provisioned.keyFile))
    return {
      ...{ url, databaseUrl, apiKey, publish },
      [Symbol.asyncDispose]: () => posthorn[Symbol.asyncDispose](),
    }
  } catch (error) {
    throw new Error(withOptionNames(explainFailure(error)), { cause: error })
  }
}

/**
 * The options of `startPosthorn`. Besides these, each setting of `.env.example` is an option, without `POSTHORN_` and in
 * camel case, with the same values and the same default: `databaseUrl` is DATABASE_URL, `retrySchedule` is
 * POSTHORN_RETRY_SCHEDULE.
 */
export type PosthornOptions = SettingOptions & {
  /** What this process runs: the API and the worker, only the API, or only the worker. Default: `all`. */
  readonly role?: 'all' | 'api' | 'worker'
}

type SettingOptions = {
  readonly [Name in keyof typeof SETTINGS as OptionName<Name>]?: string | number | readonly string[]
}

type OptionName<Name extends string> = Name extends `POSTHORN_${infer Rest}`
  ? CamelCase<Rest>
  : CamelCase<Name>

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>

const NAMES = new Map(Object.keys(SETTINGS).map((setting) => [optionName(setting), setting]))

const ROLES = ['all', 'api', 'worker'] as const

interface ReadOptions {
  readonly environment: Environment
  readonly role: (typeof ROLES)[number]
}

/** The options as settings. Throws a `ConfigError` that lists every option that does not exist or has no value. */
export function readOptions(options: PosthornOptions): ReadOptions {
  const { role = 'all', ...settings } = options
  const problems: string[] = []
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries<unknown>(settings)) {
    const setting = NAMES.get(name)
    const text = textOf(value)
    if (setting === undefined) {
      problems.push(`${name} is not an option.${didYouMean(name, ['role', ...NAMES.keys()])}`)
    } else if (text === null) {
      problems.push(
        `${name} is ${typeof value}: leave it out, or check where its value comes from.`,
      )
    } else {
      environment[setting] = text
    }
  }
  if (!ROLES.includes(role)) {
    problems.push(`role is ${JSON.stringify(role)}: give one of ${ROLES.join(', ')}.`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { environment, role }
}

/** A message about settings, with the names of the options. */
function withOptionNames(message: string): string {
  return message.replaceAll(/\b[A-Z]+(_[A-Z]+)*\b/g, (word) =>
    Object.hasOwn(SETTINGS, word) ? optionName(word) : word,
  )
}

function optionName(setting: string): string {
  const words = setting.replace(/^POSTHORN_/, '').toLowerCase()
  return words.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Null for a value that no setting has, such as that of a variable that is not set. */
function textOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.join(',')
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null
}

/** A process of Posthorn that is ready. Disposing of it finishes what is in flight, and stops the embedded Postgres. */
interface OpenPosthorn extends Running {
  readonly config: Config
  readonly logger: Logger
  /** The URL of the database, with its password. */
  readonly databaseUrl: string
}

interface OpenOptions {
  readonly role: Role
  /** Whether the process has another purpose: Posthorn then runs on a thread of its own, and never ends the process. */
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
  await migrateDatabase(secrets, config.workerSchema, role !== 'worker')
  const running = opened.use(await start(role, runtime, logger, isGuest))
  if (running.provisioned) opened.use(await saveServerUrl(config.dataDir, running.url))
  warnOfEgress(config, logger)
  const resources = opened.move()
  return {
    ...running,
    ...{ config, logger, databaseUrl: secrets.databaseUrl },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/**
 * A role alone runs on the main thread, except of a guest: a fault ends the process, which its process manager starts again.
 * Loaded on demand: the thread that supervises another needs none of its modules.
 */
async function start(role: Role, settings: Settings, logger: Logger, isGuest: boolean) {
  if (role === 'all' || isGuest) {
    const { startThread } = await import('./start-thread.ts')
    return await startThread(role, settings, logger)
  }
  const { startApp } = await import('./app.ts')
  return await startApp(settings, role)
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
