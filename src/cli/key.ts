import { type Command, InvalidArgumentError } from 'commander'
import { COMMAND_LINE } from '../auth/access/actor.ts'
import { SCOPES } from '../auth/access/scope.ts'
import { createApiKey } from '../auth/api-keys/api-key.ts'
import { writeAuditEntry } from '../auth/audit/audit-entry.ts'
import { type Reencrypted, reencryptStoredSecrets } from '../auth/encryption/stored-secrets.ts'
import { parseDuration } from '../config/setting-parsers.ts'
import type { Db } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { getOrganization, listOrganizations } from '../organizations/find-organization.ts'
import { allPages, mutation, run } from './api.ts'
import { commaSeparated, printedTable, printing, type Row, withServices } from './command.ts'
import { call, withOrganization } from './server-command.ts'

const KEY_SCOPES = 'the scope keys:manage, or admin for every organization'

/** `posthorn key create`, `list`, `revoke` and `rotate-encryption`. */
export function registerKey(program: Command): void {
  const key = program.command('key').description('Manages API keys and encryption keys.')
  registerCreate(key)
  withOrganization(key.command('list'), KEY_SCOPES)
    .description('Lists API keys, without their tokens.')
    .option('--json', 'print an array of keys, oldest first')
    .action(
      call(async (client) => {
        const keys = (await allPages<Key>(client, 'apiKeys', FIELDS)).map(
          ({ organization, ...key }) => ({
            ...{ ...key, organization: organization.id, token_hint: `${key.token_hint}…` },
          }),
        )
        return printedTable(keys, COLUMNS, 'There are no API keys.')
      }),
    )
  withOrganization(key.command('revoke'), KEY_SCOPES)
    .description(
      'Revokes an API key. When the command ends, no process accepts the key any more. Revoking a revoked key changes nothing.',
    )
    .argument('<id>', 'the key, key_…')
    .option('--json', 'print {"id":"key_…","revoked_at":"…"}')
    .action(
      call(async (client, id: string) => {
        const { apiKey } = await run<{ apiKey: object }>(client, REVOKE, { id })
        return [{ id, ...apiKey }, `${id} is revoked.`]
      }),
    )
  registerRotateEncryption(key)
}

const FIELDS = `
  id organization { id } name token_hint: tokenHint scopes created_at: createdAt
  expires_at: expiresAt revoked_at: revokedAt last_used_at: lastUsedAt`

const COLUMNS = [
  'id',
  'organization',
  'token_hint',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'scopes',
  'name',
]

interface Key extends Row {
  readonly organization: { readonly id: string }
  readonly token_hint: string
}

const REVOKE = mutation('revokeApiKey(id: $id)', '$id: ID!', 'apiKey { revoked_at: revokedAt }')

interface CreateOptions {
  readonly organization?: string
  readonly scope: string[]
  readonly expires?: number
  readonly name?: string
}

/** In the database, where the first key comes from. */
function registerCreate(key: Command): void {
  key
    .command('create')
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
    .action(
      printing(async ({ organization, scope: scopes, expires, name }: CreateOptions) => {
        const expiresAt = expires === undefined ? null : new Date(Date.now() + expires)
        const wanted = { scopes, name: name ?? null, expiresAt, grantedBy: null }
        const { key, token } = await withServices(async ({ database: { prisma } }) => {
          const organizationId = await findOrganization(prisma, organization)
          return await createApiKey(prisma, { ...wanted, organizationId }, COMMAND_LINE)
        })
        const id = publicId('apiKey', key.id)
        return [{ id, token }, `${id}\n${token}\n\nSave the token now: it is not shown again.`]
      }),
    )
}

const MAX_LISTED = 10

/** The uuid of the organization with this id or uid. Without one, of the only organization. */
async function findOrganization(db: Db, name: string | undefined): Promise<string> {
  if (name !== undefined) return (await getOrganization(db, name)).id
  const organizations = await listOrganizations(db)
  const [only, ...others] = organizations
  if (!only) {
    throw new Error('There is no organization. Create one: posthorn organization create <name>')
  }
  if (others.length === 0) return only.id
  const listed = organizations
    .slice(0, MAX_LISTED)
    .map((one) => `  --organization ${publicId('organization', one.id)}  ${one.name}`)
  if (organizations.length > MAX_LISTED) listed.push('  …')
  throw new Error(
    `There are ${organizations.length} organizations. Choose one:\n${listed.join('\n')}`,
  )
}

/** Milliseconds. */
function duration(text: string): number {
  try {
    return parseDuration(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

/** Re-encrypts stored secrets while the service runs. */
function registerRotateEncryption(key: Command): void {
  key
    .command('rotate-encryption')
    .description(
      'Re-encrypts everything that is not encrypted with the first key of POSTHORN_ENCRYPTION_KEYS: signing secrets, custom headers and the responses stored for idempotency keys. The service may keep running. If the command is interrupted, run it again to continue.',
    )
    .option(
      '--json',
      'print {"reencrypted":{"signing_secrets":1,…},"unreadable":{"signing_secrets":[],…},"old_keys_removable":true}',
    )
    .addHelpText(
      'after',
      `
To change the key:
  1. Put a new key first in POSTHORN_ENCRYPTION_KEYS, and restart every process.
  2. Run this command with the same setting.
  3. When the command says so, remove the old keys, and restart every process.`,
    )
    .action(
      printing(async () => {
        const results = await withServices(async ({ database, webhooks: { keyring } }) => {
          await writeAuditEntry(database.prisma, COMMAND_LINE, {
            action: 'encryption.rotated',
            organizationId: null,
            subjectId: 'POSTHORN_ENCRYPTION_KEYS',
          })
          return await reencryptStoredSecrets(database.pool, keyring)
        })
        const hasUnreadable = results.some(({ unreadable }) => unreadable.length > 0)
        const byColumn = (what: 'reencrypted' | 'unreadable') =>
          Object.fromEntries(results.map((one) => [one.column, one[what]]))
        const shown = {
          reencrypted: byColumn('reencrypted'),
          unreadable: byColumn('unreadable'),
          old_keys_removable: !hasUnreadable,
        }
        if (hasUnreadable) process.exitCode = 1
        return [shown, toText(results, hasUnreadable)]
      }),
    )
}

function toText(results: readonly Reencrypted[], hasUnreadable: boolean): string {
  const counts = results.flatMap(({ column, reencrypted, unreadable }) => {
    const name = column.replace('_', ' ')
    const lost = unreadable.map((row) => `${name}: none of the keys decrypts ${row}`)
    return [`${name}: ${reencrypted} re-encrypted`, ...lost]
  })
  const nextStep = hasUnreadable
    ? 'Keep the old keys until these rows are resolved: add the key that encrypted them and run this command again, or set the headers again and rotate the signing secret.'
    : 'Everything is encrypted with the first key. When every process runs with this key first, you can remove the others from POSTHORN_ENCRYPTION_KEYS.'
  return [...counts, '', nextStep].join('\n')
}
