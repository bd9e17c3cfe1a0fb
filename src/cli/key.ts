import { type Command, InvalidArgumentError } from 'commander'
import { COMMAND_LINE } from '../access/actor.ts'
import { SCOPES } from '../access/scope.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../api-keys/api-key.ts'
import { DEFAULT_LIMITS } from '../api-keys/limits.ts'
import { parseDuration } from '../config/setting-parsers.ts'
import type { ApiKey } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { getOrganization } from '../organizations/organization.ts'
import { registerRotateEncryption } from './rotate-encryption.ts'
import { print, runCommand, withServices } from './run-command.ts'
import { ORGANIZATION_OPTION, selectOrganization } from './select-organization.ts'

interface CreateOptions {
  readonly organization?: string
  readonly scope: string[]
  readonly expires?: number
  readonly name?: string
  readonly rateLimit?: number
  readonly eventRateLimit?: number
  readonly deliveryRateLimit?: number
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
  key
    .command('create')
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
      await runCommand(() =>
        withServices(async ({ database: { prisma } }) => {
          const organization = await selectOrganization(prisma, options.organization)
          const input = {
            organizationId: organization.id,
            scopes: options.scope,
            name: options.name ?? null,
            requestsPerSecond: options.rateLimit ?? null,
            eventsPerSecond: options.eventRateLimit ?? null,
            deliveriesPerSecond: options.deliveryRateLimit ?? null,
            expiresAt:
              options.expires === undefined ? null : new Date(Date.now() + options.expires),
          }
          const { key: created, token } = await createApiKey(prisma, input, COMMAND_LINE)
          const id = publicId('apiKey', created.id)
          print(
            options.json,
            { id, token },
            `${id}\n${token}\n\nSave the token now: it is not shown again.`,
          )
        }),
      )
    })
}

function registerList(key: Command): void {
  key
    .command('list')
    .summary('list API keys, without their tokens')
    .option('--organization <id>', 'only the keys of this organization, org_… (default: all)')
    .option('--json', 'print an array of keys, oldest first')
    .action(async (options: { organization?: string; json?: boolean }) => {
      await runCommand(() =>
        withServices(async ({ database: { prisma } }) => {
          const organization = options.organization
            ? await getOrganization(prisma, options.organization)
            : undefined
          const keys = (await listApiKeys(prisma, organization?.id)).map(toJson)
          print(options.json, keys, keys.map(toLine).join('\n') || 'There are no API keys.')
        }),
      )
    })
}

function registerRevoke(key: Command): void {
  key
    .command('revoke')
    .summary('revoke an API key')
    .description(
      'Revokes an API key. When the command ends, no process accepts the key any more. Revoking a revoked key changes nothing.',
    )
    .argument('<id>', 'the key, key_…')
    .option('--json', 'print {"id":"key_…","revoked_at":"…"}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await runCommand(() =>
        withServices(async ({ database }) => {
          const { revokedAt } = await revokeApiKey(database.prisma, id, undefined, COMMAND_LINE)
          print(json, { id, revoked_at: revokedAt }, `${id} is revoked.`)
        }),
      )
    })
}

function toJson(key: ApiKey) {
  return {
    id: publicId('apiKey', key.id),
    organization: publicId('organization', key.organizationId),
    name: key.name,
    token_hint: `${key.tokenHint}…`,
    scopes: key.scopes,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    last_used_at: key.lastUsedAt,
  }
}

function toLine(key: ReturnType<typeof toJson>): string {
  const state = key.revoked_at
    ? 'revoked'
    : key.expires_at && key.expires_at <= new Date()
      ? 'expired'
      : 'valid'
  const name = key.name === null ? '' : `  ${JSON.stringify(key.name)}`
  return `${key.id}  ${key.organization}  ${key.token_hint}  ${state}  ${key.scopes.join(',')}${name}`
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
