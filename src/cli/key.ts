import { type Command, InvalidArgumentError } from 'commander'
import { SCOPES } from '../access/scope.ts'
import { parseDuration } from '../config/setting-parsers.ts'
import type { Db } from '../db/client.ts'
import { run } from './api.ts'
import { allPages } from './organization.ts'
import { registerRotateEncryption } from './rotate-encryption.ts'
import { print, runCommand, withServices } from './run-command.ts'
import { ORGANIZATION, openAccess, type ServerOptions, withServerOptions } from './server-access.ts'

interface CreateOptions {
  readonly organization?: string
  readonly scope: string[]
  readonly expires?: number
  readonly name?: string
  readonly json?: boolean
}

interface Options extends ServerOptions {
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

/** In the database, where the first key comes from. */
function registerCreate(key: Command): void {
  key
    .command('create')
    .summary('create an API key in the database')
    .description(
      'Creates an API key in the database of the settings, and prints its token. The token is shown only once: Posthorn stores only its hash.',
    )
    .option(
      '--organization <id>',
      'the organization of the key, org_… or a uid; only required if there are several organizations',
    )
    .requiredOption('--scope <scope...>', `what it may do: ${SCOPES.join(', ')}`, commaSeparated)
    .option(
      '--expires <duration>',
      'how long the key is valid, such as 90d (default: it does not expire)',
      duration,
    )
    .option('--name <name>', 'a label of 1 to 200 characters')
    .option('--json', 'print {"id":"key_…","token":"phk_…"}')
    .action(async (options: CreateOptions) => {
      await runCommand(async () => {
        const [{ createApiKey }, { COMMAND_LINE }, { publicId }] = await Promise.all([
          import('../api-keys/api-key.ts'),
          import('../access/actor.ts'),
          import('../db/ids.ts'),
        ])
        const wanted = {
          scopes: options.scope,
          name: options.name ?? null,
          expiresAt: options.expires === undefined ? null : new Date(Date.now() + options.expires),
          grantedBy: null,
        }
        const { key, token } = await withServices(async ({ database: { prisma } }) => {
          const organizationId = await findOrganization(prisma, options.organization)
          return await createApiKey(prisma, { ...wanted, organizationId }, COMMAND_LINE)
        })
        const id = publicId('apiKey', key.id)
        const text = `${id}\n${token}\n\nSave the token now: it is not shown again.`
        print(options.json, { id, token }, text)
      })
    })
}

const MAX_LISTED = 10

/** The uuid of the organization with this id or uid. Without one, of the only organization. */
async function findOrganization(db: Db, name: string | undefined): Promise<string> {
  const { getOrganization, listOrganizations } = await import(
    '../organizations/find-organization.ts'
  )
  if (name !== undefined) return (await getOrganization(db, name)).id
  const organizations = await listOrganizations(db)
  const [only] = organizations
  if (!only) {
    throw new Error('There is no organization. Create one: posthorn organization create <name>')
  }
  if (organizations.length === 1) return only.id
  const { publicId } = await import('../db/ids.ts')
  const listed = organizations
    .slice(0, MAX_LISTED)
    .map((one) => `  --organization ${publicId('organization', one.id)}  ${one.name}`)
  if (organizations.length > MAX_LISTED) listed.push('  …')
  throw new Error(
    `There are ${organizations.length} organizations. Choose one:\n${listed.join('\n')}`,
  )
}

function registerList(key: Command): void {
  withServerOptions(key.command('list'), KEY_SCOPES)
    .summary('list API keys, without their tokens')
    .option(...ORGANIZATION)
    .option('--json', 'print an array of keys, oldest first')
    .action(async (options: Options) => {
      await runCommand(async () => {
        const keys = await allPages<Key>(await openAccess(options), KEYS)
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
    .option(...ORGANIZATION)
    .option('--json', 'print {"id":"key_…","revoked_at":"…"}')
    .action(async (id: string, options: Options) => {
      await runCommand(async () => {
        type Revoked = { apiKey: { revokedAt: string } }
        const { apiKey } = await run<Revoked>(await openAccess(options), REVOKE, { id })
        print(options.json, { id, revoked_at: apiKey.revokedAt }, `${id} is revoked.`)
      })
    })
}

const KEY_SCOPES = 'the scope keys:manage, or admin for every organization'

const KEYS = `query ($after: String) {
  apiKeys(first: 100, after: $after) {
    nodes {
      id organization { id } name tokenHint scopes createdAt expiresAt revokedAt lastUsedAt
    }
    pageInfo { hasNextPage endCursor }
  }
}`

interface Key {
  readonly id: string
  readonly organization: { readonly id: string }
  readonly name: string | null
  readonly tokenHint: string
  readonly scopes: readonly string[]
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
}

const REVOKE = `mutation ($id: ID!) {
  revokeApiKey(id: $id) {
    ... on RevokeApiKeySuccess { apiKey { revokedAt } }
    ... on UserError { code message }
  }
}`

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

function duration(text: string): number {
  try {
    return parseDuration(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}
