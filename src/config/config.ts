import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { didYouMean } from '../lib/did-you-mean.ts'
import { isLoopback, LOOPBACK, parseIssuer, parseOidcRole } from './oidc-settings.ts'
import { type Environment, readSettingFiles, SECRET_SETTINGS } from './setting-files.ts'
import {
  parseCidr,
  parseDurationBetween,
  parseEncryptionKeys,
  parseHeaderPrefix,
  parseInteger,
  parseList,
  parseLogLevel,
  parseMcpAccess,
  parseNonEmpty,
  parseOptional,
  parseOrigin,
  parsePostgresUrl,
  parseProxy,
  parsePublicUrl,
  parseRetrySchedule,
  parseSchemaName,
  parseSender,
  parseSmtpUrl,
  parseWebOrigin,
  readTrustedDocuments,
} from './setting-parsers.ts'

export { LOOPBACK }

/** The validated settings, frozen. They have no secrets, so they are safe to print. `SETTING_DESCRIPTIONS` says what each is. */
export type Config = ReturnType<typeof loadConfig>['config']

/** Settings that must never be printed. */
export type Secrets = ReturnType<typeof loadConfig>['secrets']

/**
 * The environment variables of Posthorn with their defaults. Each may end in `_FILE`: the path of a file with the value. A
 * test compares the list with `.env.example`.
 */
export const SETTINGS = {
  DATABASE_URL: '',
  POSTHORN_DIRECT_DATABASE_URL: '',
  HOST: '127.0.0.1',
  PORT: '4000',
  POSTHORN_METRICS_PORT: '',
  POSTHORN_PUBLIC_URL: '',
  POSTHORN_PORTAL_ORIGINS: '',
  POSTHORN_TRUSTED_PROXIES: '',
  POSTHORN_DATA_DIR: '.posthorn',
  POSTHORN_WORKER_SCHEMA: 'graphile_worker',
  POSTHORN_ENCRYPTION_KEYS: '',
  POSTHORN_CONCURRENCY: '500',
  POSTHORN_MAX_HEAP_MB: '192',
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
  POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS: '',
  POSTHORN_MCP: 'off',
  POSTHORN_OIDC_ISSUER: '',
  POSTHORN_OIDC_CLIENT_ID: '',
  POSTHORN_OIDC_CLIENT_SECRET: '',
  POSTHORN_OIDC_ROLES: '',
  POSTHORN_SMTP_URL: '',
  POSTHORN_EMAIL_FROM: '',
  POSTHORN_LOG_LEVEL: 'info',
} as const

export type SettingName = keyof typeof SETTINGS

const SETTING_NAMES = Object.keys(SETTINGS)

/** All invalid settings, each with its value and the remedy. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** Merges the `.env` file of the directory with the process environment, which takes precedence. */
export function readEnvironment(directory = process.cwd()): Environment {
  try {
    const text = readFileSync(path.join(directory, '.env'), 'utf8')
    // A byte order mark, which editors on Windows write, would become part of the first name.
    return { ...parseEnv(text.replace(/^\ufeff/, '')), ...process.env }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return process.env
    throw error
  }
}

interface LoadOptions {
  /** Whether DATABASE_URL requires POSTHORN_ENCRYPTION_KEYS. Default: true. */
  readonly requireEncryptionKeys?: boolean
}

/** Reads and checks all settings. Throws one `ConfigError` that lists every problem. */
export function loadConfig(given: Environment, { requireEncryptionKeys = true }: LoadOptions = {}) {
  const problems: string[] = unknownSettings(given)
  const { environment, unreadable } = readSettingFiles(given, SETTING_NAMES, problems)

  function read<T>(name: SettingName, parse: (text: string) => T): T {
    const text = environment[name]
    try {
      return parse(text === undefined ? SETTINGS[name] : text.trim())
    } catch (error) {
      const value = SECRET_SETTINGS.includes(name) ? 'not usable' : JSON.stringify(text)
      problems.push(`${name} is ${value}: ${(error as Error).message}`)
      return parse(SETTINGS[name])
    }
  }

  const databaseUrl = read('DATABASE_URL', parseOptional(parsePostgresUrl))
  const directDatabaseUrl = read('POSTHORN_DIRECT_DATABASE_URL', parseOptional(parsePostgresUrl))
  const database: 'embedded' | 'external' = databaseUrl === null ? 'embedded' : 'external'
  const host = read('HOST', parseNonEmpty)
  // A caller from another machine must not reach what listens on the loopback interface of this one.
  const isLocalTrial = database === 'embedded' && isLoopback(host)
  const egressAllow = read('POSTHORN_EGRESS_ALLOW', parseList(parseCidr))
  const issuer = read('POSTHORN_OIDC_ISSUER', parseOptional(parseIssuer))
  const clientId = read('POSTHORN_OIDC_CLIENT_ID', (text) => text)
  const roles = read('POSTHORN_OIDC_ROLES', parseList(parseOidcRole))
  const config = Object.freeze({
    // With DATABASE_URL, or without.
    database,
    host,
    port: read('PORT', parseInteger(0, 65_535)),
    metricsPort: read('POSTHORN_METRICS_PORT', parseOptional(parseInteger(1, 65_535))),
    publicUrl: read('POSTHORN_PUBLIC_URL', parseOptional(parsePublicUrl)),
    portalOrigins: read('POSTHORN_PORTAL_ORIGINS', parseList(parseWebOrigin)),
    trustedProxies: read('POSTHORN_TRUSTED_PROXIES', parseList(parseCidr)),
    dataDir: path.resolve(read('POSTHORN_DATA_DIR', parseNonEmpty)),
    workerSchema: read('POSTHORN_WORKER_SCHEMA', parseSchemaName),
    concurrency: read('POSTHORN_CONCURRENCY', parseInteger(1, 10_000)),
    maxHeapMb: read('POSTHORN_MAX_HEAP_MB', parseInteger(128, 16_384)),
    retryScheduleMs: read('POSTHORN_RETRY_SCHEDULE', parseRetrySchedule),
    attemptTimeoutMs: read('POSTHORN_ATTEMPT_TIMEOUT', parseDurationBetween('1s', '30s')),
    egressAllow:
      isLocalTrial && environment['POSTHORN_EGRESS_ALLOW'] === undefined ? LOOPBACK : egressAllow,
    egressCaFile: read('POSTHORN_EGRESS_CA_FILE', (text) => text || null),
    headerPrefix: read('POSTHORN_HEADER_PREFIX', parseHeaderPrefix),
    retentionMs: read('POSTHORN_RETENTION', parseDurationBetween('1d', '3650d')),
    keepFailedJobsMs: read('POSTHORN_KEEP_FAILED_JOBS', parseDurationBetween('0s', '365d')),
    auditRetentionMs: read('POSTHORN_AUDIT_RETENTION', parseDurationBetween('30d', '3650d')),
    corsOrigins: read('POSTHORN_CORS_ORIGINS', parseList(parseOrigin)),
    graphqlTrustedDocuments: read(
      'POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS',
      parseOptional(readTrustedDocuments),
    ),
    mcp: read('POSTHORN_MCP', parseMcpAccess),
    oidc: issuer === null ? null : { issuer, clientId, roles },
    emailFrom: read('POSTHORN_EMAIL_FROM', parseOptional(parseSender)),
    logLevel: read('POSTHORN_LOG_LEVEL', parseLogLevel),
  })
  const secrets = Object.freeze({
    // Each connection to it has its own session. Null in embedded mode.
    databaseUrl: directDatabaseUrl ?? databaseUrl,
    // The same database through a transaction pooler, for the requests of the API. Null: `databaseUrl`.
    poolerUrl: directDatabaseUrl === null ? null : databaseUrl,
    // The first encrypts, every key decrypts. Null in embedded mode until the generated key is read.
    encryptionKeys: read('POSTHORN_ENCRYPTION_KEYS', parseOptional(parseEncryptionKeys)),
    egressProxy: read('POSTHORN_EGRESS_PROXY', parseOptional(parseProxy)),
    smtpUrl: read('POSTHORN_SMTP_URL', parseOptional(parseSmtpUrl)),
    oidcClientSecret: read('POSTHORN_OIDC_CLIENT_SECRET', (text) => text || null),
  })
  const isGiven = (name: SettingName) =>
    unreadable.has(name) || (environment[name]?.trim() ?? '') !== ''
  for (const [name, needed, remedy] of NEEDS) {
    if (isGiven(name) && !isGiven(needed)) problems.push(`${name} needs ${needed}: ${remedy}`)
  }
  if (requireEncryptionKeys && isGiven('DATABASE_URL') && !isGiven('POSTHORN_ENCRYPTION_KEYS')) {
    problems.push(
      'POSTHORN_ENCRYPTION_KEYS is required with DATABASE_URL: give a base64 key of 32 bytes, such as the output of `openssl rand -base64 32`.',
    )
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { config, secrets }
}

/** Settings that are of no use without others. */
const NEEDS: readonly (readonly [name: SettingName, needed: SettingName, remedy: string])[] = [
  [
    'POSTHORN_DIRECT_DATABASE_URL',
    'DATABASE_URL',
    'set DATABASE_URL to the transaction pooler, or only DATABASE_URL.',
  ],
  ['POSTHORN_EMAIL_FROM', 'POSTHORN_SMTP_URL', 'set both or none.'],
  ['POSTHORN_SMTP_URL', 'POSTHORN_EMAIL_FROM', 'such as Posthorn <posthorn@example.com>.'],
  ['POSTHORN_SMTP_URL', 'POSTHORN_PUBLIC_URL', 'the links in mails lead there.'],
  ['POSTHORN_OIDC_CLIENT_ID', 'POSTHORN_OIDC_ISSUER', 'set both or none.'],
  ['POSTHORN_OIDC_ROLES', 'POSTHORN_OIDC_ISSUER', 'set both or none.'],
  [
    'POSTHORN_OIDC_ISSUER',
    'POSTHORN_OIDC_CLIENT_ID',
    'give the id that the provider assigned to Posthorn.',
  ],
  [
    'POSTHORN_OIDC_ISSUER',
    'POSTHORN_OIDC_ROLES',
    'give at least one role, such as groups=support:key_….',
  ],
  [
    'POSTHORN_OIDC_ISSUER',
    'POSTHORN_PUBLIC_URL',
    'the provider sends browsers back to that origin, to the path /console/session/oidc/callback.',
  ],
]

/** What programs that call Posthorn read, in the documentation and the console. A shell may have them for these programs. */
const CLIENT_VARIABLES: readonly string[] = ['POSTHORN_URL', 'POSTHORN_API_KEY']

function unknownSettings(environment: Environment): string[] {
  const known = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`])
  return Object.keys(environment)
    .filter((name) => name.startsWith('POSTHORN_') && !known.includes(name))
    .filter((name) => !CLIENT_VARIABLES.includes(name))
    .map((name) => `${name} is not a setting.${didYouMean(name, known)}`)
}
