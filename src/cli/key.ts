import { type Command, InvalidArgumentError } from 'commander'
import { SCOPES } from '../access/scope.ts'
import { DEFAULT_LIMITS } from '../api-keys/default-limits.ts'
import { parseDuration } from '../config/setting-parsers.ts'
import type { Key } from './installation/installation.ts'
import { ORGANIZATION_OPTION } from './installation/only-organization.ts'
import { withInstallation, withServerOptions } from './installation/with-installation.ts'
import { registerRotateEncryption } from './rotate-encryption.ts'
import { print, runCommand } from './run-command.ts'
import type { ServerOptions } from './server-access.ts'

interface CreateOptions extends ServerOptions {
  readonly organization?: string
  readonly scope: string[]
  readonly expires?: number
  readonly name?: string
  readonly rateLimit?: number
  readonly eventRateLimit?: number
  readonly deliveryRateLimit?: number
  readonly json?: boolean
}

interface ListOptions extends ServerOptions {
  readonly organization?: string
  readonly json?: boolean
}

/** `posthorn key create`, `list`, `revoke` and `rotate-encryption`. */
export function registerKey(program: Command): void {
  const key = program.command('key').summary('manage API keys and encryption keys')
  registerCreate(key)
  registerList(key)
  registerRevoke(key)
  registerRotateEncryption(key)
}

function registerCreate(key: Command): void {
  withServerOptions(key.command('create'), KEY_SCOPES)
    .summary('create an API key')
    .description(
      'Creates an API key and prints its token. The token is shown only once: Posthorn stores only its hash.',
    )
    .option('--organization <id>', `the organization of the key, ${ORGANIZATION_OPTION}`)
    .requiredOption('--scope <scope...>', `what it may do: ${SCOPES.join(', ')}`, commaSeparated)
    .option(
      '--expires <duration>',
      'how long the key is valid, such as 90d (default: it does not expire)',
      duration,
    )
    .option('--name <name>', 'a label of 1 to 200 characters')
    .option(
      '--rate-limit <number>',
      `maximum requests per second, on average over ten seconds (default: ${DEFAULT_LIMITS.requestsPerSecond})`,
      wholeNumber,
    )
    .option(
      '--event-rate-limit <number>',
      `maximum events published per second, on average over ten seconds (default: ${DEFAULT_LIMITS.eventsPerSecond})`,
      wholeNumber,
    )
    .option(
      '--delivery-rate-limit <number>',
      `maximum deliveries of published events per second, on average over ten seconds (default: ${DEFAULT_LIMITS.deliveriesPerSecond})`,
      wholeNumber,
    )
    .option('--json', 'print {"id":"key_…","token":"phk_…"}')
    .action(async (options: CreateOptions) => {
      await runCommand(async () => {
        const wanted = {
          scopes: options.scope,
          name: options.name ?? null,
          requestsPerSecond: options.rateLimit ?? null,
          eventsPerSecond: options.eventRateLimit ?? null,
          deliveriesPerSecond: options.deliveryRateLimit ?? null,
          expiresAt: options.expires === undefined ? null : new Date(Date.now() + options.expires),
        }
        const { id, token } = await withInstallation(options, (one) =>
          one.createKey(options.organization, wanted),
        )
        print(
          options.json,
          { id, token },
          `${id}\n${token}\n\nSave the token now: it is not shown again.`,
        )
      })
    })
}

function registerList(key: Command): void {
  withServerOptions(key.command('list'), KEY_SCOPES)
    .summary('list API keys, without their tokens')
    .option(
      '--organization <id>',
      'only the keys of this organization, org_… or a uid (default: all)',
    )
    .option('--json', 'print an array of keys, oldest first')
    .action(async (options: ListOptions) => {
      await runCommand(async () => {
        const keys = await withInstallation(options, (one) => one.listKeys(options.organization))
        const lines = keys.map(toLine)
        print(options.json, keys.map(toJson), lines.join('\n') || 'There are no API keys.')
      })
    })
}

function registerRevoke(key: Command): void {
  withServerOptions(key.command('revoke'), KEY_SCOPES)
    .summary('revoke an API key')
    .description(
      'Revokes an API key. When the command ends, no process accepts the key any more. Revoking a revoked key changes nothing.',
    )
    .argument('<id>', 'the key, key_…')
    .option('--json', 'print {"id":"key_…","revoked_at":"…"}')
    .action(async (id: string, options: ServerOptions & { json?: boolean }) => {
      await runCommand(async () => {
        const { revokedAt } = await withInstallation(options, (one) => one.revokeKey(id))
        print(options.json, { id, revoked_at: revokedAt }, `${id} is revoked.`)
      })
    })
}

const KEY_SCOPES = 'the scope keys:manage, or admin for every organization'

function toJson(key: Key) {
  return {
    id: key.id,
    organization: key.organization.id,
    name: key.name,
    token_hint: `${key.tokenHint}…`,
    scopes: key.scopes,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
  }
}

function toLine(key: Key): string {
  const hasExpired = key.expiresAt !== null && Date.parse(key.expiresAt) <= Date.now()
  const state = key.revokedAt !== null ? 'revoked' : hasExpired ? 'expired' : 'valid'
  const name = key.name === null ? '' : `  ${JSON.stringify(key.name)}`
  return `${key.id}  ${key.organization.id}  ${key.tokenHint}…  ${state}  ${key.scopes.join(',')}${name}`
}

function commaSeparated(text: string, previous: string[] = []): string[] {
  return [...previous, ...text.split(',').map((part) => part.trim())]
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('give a whole number, such as 500.')
}

function duration(text: string): number {
  try {
    return parseDuration(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}
