import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { didYouMean } from '../lib/did-you-mean.ts'
import { isRange } from '../outbound/address-range.ts'

/** Everything an operator can set, validated and frozen. It holds no secret, so it is safe to print. */
export interface Config {
  readonly database: 'embedded' | 'external'
  readonly host: string
  readonly port: number
  /** The origin that browsers know Posthorn by. Null: whatever they ask. */
  readonly publicUrl: string | null
  /** The origins whose pages may show the portal in a frame. */
  readonly portalOrigins: readonly string[]
  /** The CIDR ranges of the proxies whose `X-Forwarded-For` says where a request comes from. */
  readonly trustedProxies: readonly string[]
  readonly dataDir: string
  /** The schema of graphile-worker's tables. */
  readonly workerSchema: string
  readonly concurrency: number
  readonly retryScheduleMs: readonly number[]
  readonly attemptTimeoutMs: number
  readonly egressAllow: readonly string[]
  readonly egressCaFile: string | null
  readonly headerPrefix: string
  readonly retentionMs: number
  /** How long the job of an exhausted delivery stays visible as failed. */
  readonly keepFailedJobsMs: number
  readonly auditRetentionMs: number
  readonly corsOrigins: readonly string[]
  readonly graphiql: boolean
  /** The only GraphQL documents that run, by hash. Null: any. */
  readonly graphqlTrustedDocuments: Readonly<Record<string, string>> | null
  readonly logLevel: LogLevel
}

/** What must never be printed. `encryptionKeys` is `null` in embedded mode until the generated key is read. */
export interface Secrets {
  readonly databaseUrl: string | null
  readonly encryptionKeys: readonly Buffer[] | null
  readonly egressProxy: string | null
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/**
 * Every variable that Posthorn reads, with its default as it would be written.
 * `.env.example` lists the same ones with an explanation each; a test compares the two.
 */
export const SETTINGS = {
  DATABASE_URL: '',
  HOST: '127.0.0.1',
  PORT: '4000',
  POSTHORN_PUBLIC_URL: '',
  POSTHORN_PORTAL_ORIGINS: '',
  POSTHORN_TRUSTED_PROXIES: '',
  POSTHORN_DATA_DIR: '.posthorn',
  POSTHORN_WORKER_SCHEMA: 'graphile_worker',
  POSTHORN_ENCRYPTION_KEYS: '',
  POSTHORN_CONCURRENCY: '500',
  POSTHORN_RETRY_SCHEDULE: '5s,5m,30m,2h,5h,10h,14h,20h,24h',
  POSTHORN_ATTEMPT_TIMEOUT: '15s',
  POSTHORN_EGRESS_ALLOW: '',
  POSTHORN_EGRESS_CA_FILE: '',
  POSTHORN_EGRESS_PROXY: '',
  POSTHORN_HEADER_PREFIX: 'wh-',
  POSTHORN_RETENTION: '30d',
  POSTHORN_KEEP_FAILED_JOBS: '1d',
  POSTHORN_AUDIT_RETENTION: '365d',
  POSTHORN_CORS_ORIGINS: '',
  POSTHORN_GRAPHIQL: '',
  POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS: '',
  POSTHORN_LOG_LEVEL: 'info',
} as const

type SettingName = keyof typeof SETTINGS

/** Their values never appear in a message. */
const SECRET_SETTINGS: ReadonlySet<SettingName> = new Set([
  'DATABASE_URL',
  'POSTHORN_ENCRYPTION_KEYS',
  'POSTHORN_EGRESS_PROXY',
])

type Environment = Readonly<Record<string, string | undefined>>

/** Settings that cannot be used, all of them, each with its remedy. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** The process environment over the `.env` file of the working directory: what is set by hand wins. */
export function readEnvironment(directory = process.cwd()): Environment {
  try {
    const file = parseEnv(readFileSync(path.join(directory, '.env'), 'utf8'))
    return { ...file, ...process.env }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return process.env
    throw error
  }
}

/** Reads and checks all settings. Throws one `ConfigError` that names everything wrong. */
export function loadConfig(environment: Environment): { config: Config; secrets: Secrets } {
  const problems: string[] = unknownSettings(environment)

  function read<T>(name: SettingName, parse: (text: string) => T): T {
    const given = environment[name]
    try {
      return parse(given === undefined ? SETTINGS[name] : given.trim())
    } catch (error) {
      const value = SECRET_SETTINGS.has(name) ? 'not usable' : JSON.stringify(given)
      problems.push(`${name} is ${value}: ${(error as Error).message}`)
      return parse(SETTINGS[name])
    }
  }

  const databaseUrl = read('DATABASE_URL', parsePostgresUrl)
  const database = databaseUrl === null ? 'embedded' : 'external'
  const egressAllow = read('POSTHORN_EGRESS_ALLOW', parseList(parseCidr))
  const config: Config = {
    database,
    host: read('HOST', parseNonEmpty),
    port: read('PORT', parseInteger(0, 65_535)),
    publicUrl: read('POSTHORN_PUBLIC_URL', parsePublicUrl),
    portalOrigins: read('POSTHORN_PORTAL_ORIGINS', parseList(parseWebOrigin)),
    trustedProxies: read('POSTHORN_TRUSTED_PROXIES', parseList(parseCidr)),
    dataDir: path.resolve(read('POSTHORN_DATA_DIR', parseNonEmpty)),
    workerSchema: read('POSTHORN_WORKER_SCHEMA', parseSchemaName),
    concurrency: read('POSTHORN_CONCURRENCY', parseInteger(1, 10_000)),
    retryScheduleMs: read('POSTHORN_RETRY_SCHEDULE', parseRetrySchedule),
    attemptTimeoutMs: read('POSTHORN_ATTEMPT_TIMEOUT', parseDurationBetween('1s', '30s')),
    egressAllow:
      database === 'embedded' && environment['POSTHORN_EGRESS_ALLOW'] === undefined
        ? ['127.0.0.0/8', '::1/128']
        : egressAllow,
    egressCaFile: read('POSTHORN_EGRESS_CA_FILE', (text) => text || null),
    headerPrefix: read('POSTHORN_HEADER_PREFIX', parseHeaderPrefix),
    retentionMs: read('POSTHORN_RETENTION', parseDurationBetween('1d', '3650d')),
    keepFailedJobsMs: read('POSTHORN_KEEP_FAILED_JOBS', parseDurationBetween('0s', '365d')),
    auditRetentionMs: read('POSTHORN_AUDIT_RETENTION', parseDurationBetween('30d', '3650d')),
    corsOrigins: read('POSTHORN_CORS_ORIGINS', parseList(parseOrigin)),
    graphiql: read('POSTHORN_GRAPHIQL', parseSwitch) ?? database === 'embedded',
    graphqlTrustedDocuments: read('POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS', readTrustedDocuments),
    logLevel: read('POSTHORN_LOG_LEVEL', parseLogLevel),
  }
  const secrets: Secrets = {
    databaseUrl,
    encryptionKeys: readEncryptionKeys(environment, database, problems),
    egressProxy: read('POSTHORN_EGRESS_PROXY', parseProxy),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { config: Object.freeze(config), secrets: Object.freeze(secrets) }
}

/** `90`, with a unit of ms, s, m, h or d -> milliseconds. Throws on anything else. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text)
  if (!match) throw new Error('write a whole number and a unit, such as 500ms, 15s, 5m, 2h or 30d.')
  const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as 'ms']
  return Number(match[1]) * unitMs
}

/** A comma-separated retry schedule in milliseconds: at most 50 delays of up to 7 days; empty for no retries. */
export function parseRetrySchedule(text: string): number[] {
  const delaysMs = parseList(parseDurationBetween('0s', '7d'))(text)
  if (delaysMs.length > 50) throw new Error('give at most 50 delays.')
  return delaysMs
}

function unknownSettings(environment: Environment): string[] {
  const known = Object.keys(SETTINGS)
  return Object.keys(environment)
    .filter((name) => name.startsWith('POSTHORN_') && !known.includes(name))
    .map((name) => `${name} is not a setting.${didYouMean(name, known)}`)
}

function readEncryptionKeys(
  environment: Environment,
  database: Config['database'],
  problems: string[],
): Buffer[] | null {
  const text = environment['POSTHORN_ENCRYPTION_KEYS']?.trim() ?? ''
  if (text === '') {
    if (database === 'external') {
      problems.push(
        'POSTHORN_ENCRYPTION_KEYS is required with DATABASE_URL: give a base64 key of 32 bytes, such as the output of `openssl rand -base64 32`.',
      )
    }
    return null
  }
  const keys = text.split(',').map((key) => Buffer.from(key.trim(), 'base64'))
  if (keys.some((key) => key.length !== 32)) {
    problems.push('POSTHORN_ENCRYPTION_KEYS: each comma-separated key must be 32 bytes in base64.')
  }
  return keys
}

function parseList<T>(parse: (text: string) => T): (text: string) => T[] {
  return (text) => (text === '' ? [] : text.split(',').map((part) => parse(part.trim())))
}

function parseNonEmpty(text: string): string {
  if (text === '') throw new Error('it must not be empty.')
  return text
}

function parseInteger(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) {
      throw new Error(`give a whole number from ${least} to ${most}.`)
    }
    return value
  }
}

function parseDurationBetween(least: string, most: string): (text: string) => number {
  return (text) => {
    const value = parseDuration(text)
    if (value < parseDuration(least) || value > parseDuration(most)) {
      throw new Error(`give a duration from ${least} to ${most}.`)
    }
    return value
  }
}

function parsePostgresUrl(text: string): string | null {
  if (text === '') return null
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    throw new Error('give a URL such as postgres://user:password@host:5432/database.')
  }
  return text
}

/** Schemas that others keep their own things in. */
const RESERVED_SCHEMA = /^(posthorn|posthorn_partitions|public|information_schema|pg_.*)$/

function parseSchemaName(text: string): string {
  if (!/^[a-z0-9_]{1,63}$/.test(text)) {
    throw new Error(
      'give 1 to 63 lower-case letters, digits and underscores, such as posthorn_worker.',
    )
  }
  if (RESERVED_SCHEMA.test(text)) {
    throw new Error('give a schema for the jobs alone, such as posthorn_worker.')
  }
  return text
}

function parseCidr(text: string): string {
  if (!isRange(text)) throw new Error('give CIDR ranges such as 10.0.0.0/8 or fd00::/8.')
  return text
}

function parseProxy(text: string): string | null {
  if (text === '') return null
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    throw new Error('give the http:// or https:// URL of a forward proxy.')
  }
  return text
}

function parseHeaderPrefix(text: string): string {
  if (!/^[a-z0-9]+(-[a-z0-9]+)*-$/.test(text)) {
    throw new Error(
      'give lower-case letters and digits ending in a hyphen, such as wh- or webhook-.',
    )
  }
  return text
}

function parseOrigin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new Error('give origins such as https://app.example.com, without a path.')
  }
  return text
}

/** Goes into a Content-Security-Policy, where other characters would mean something. */
const WEB_ORIGIN = /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?$/

function parseWebOrigin(text: string): string {
  if (!WEB_ORIGIN.test(text)) {
    throw new Error('give http:// or https:// origins such as https://app.example.com.')
  }
  return parseOrigin(text)
}

function parsePublicUrl(text: string): string | null {
  if (text === '') return null
  const url = URL.parse(text)
  if (!url || !WEB_ORIGIN.test(url.origin) || url.href !== `${url.origin}/`) {
    throw new Error(
      'give the http:// or https:// address that browsers have of Posthorn, without a path, such as https://webhooks.example.com.',
    )
  }
  return url.origin
}

function parseSwitch(text: string): boolean | null {
  if (text === '') return null
  if (text !== 'true' && text !== 'false') throw new Error('give true or false.')
  return text === 'true'
}

function readTrustedDocuments(file: string): Record<string, string> | null {
  if (file === '') return null
  const remedy = 'give the path of a JSON file such as {"<hash>": "query { … }"}.'
  let documents: unknown
  try {
    documents = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${code ? `it cannot be read (${code})` : 'it is not JSON'}: ${remedy}`)
  }
  const isObject = typeof documents === 'object' && documents !== null && !Array.isArray(documents)
  if (!isObject || Object.values(documents as object).some((text) => typeof text !== 'string')) {
    throw new Error(`it is not an object of documents by their hashes: ${remedy}`)
  }
  return documents as Record<string, string>
}

function parseLogLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text)
  if (!level)
    throw new Error(`give one of ${LOG_LEVELS.join(', ')}.${didYouMean(text, LOG_LEVELS)}`)
  return level
}
