import type { Command } from 'commander'
import type { Reencrypted } from '../encryption/stored-secrets.ts'
import { print, runCommand, withServices } from './run-command.ts'

/** `posthorn key rotate-encryption`: re-encrypts stored secrets while the service runs. */
export function registerRotateEncryption(key: Command): void {
  key
    .command('rotate-encryption')
    .summary('re-encrypt stored secrets with the first encryption key')
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
    .action(async ({ json }: { json?: boolean }) => {
      const [{ COMMAND_LINE }, { writeAuditEntry }, { reencryptStoredSecrets }] = await Promise.all(
        [
          import('../access/actor.ts'),
          import('../audit/audit-entry.ts'),
          import('../encryption/stored-secrets.ts'),
        ],
      )
      await runCommand(() =>
        withServices(async ({ database: { pool, prisma }, webhooks: { keyring } }) => {
          await writeAuditEntry(prisma, COMMAND_LINE, {
            action: 'encryption.rotated',
            organizationId: null,
            subjectId: 'POSTHORN_ENCRYPTION_KEYS',
          })
          const results = await reencryptStoredSecrets(pool, keyring)
          const hasUnreadable = results.some(({ unreadable }) => unreadable.length > 0)
          print(json, toJson(results, !hasUnreadable), toText(results))
          if (hasUnreadable) process.exitCode = 1
        }),
      )
    })
}

function toJson(results: readonly Reencrypted[], oldKeysRemovable: boolean) {
  return {
    reencrypted: Object.fromEntries(results.map((one) => [one.column, one.reencrypted])),
    unreadable: Object.fromEntries(results.map((one) => [one.column, one.unreadable])),
    old_keys_removable: oldKeysRemovable,
  }
}

function toText(results: readonly Reencrypted[]): string {
  const counts = results.map(
    ({ column, reencrypted }) => `${column.replace('_', ' ')}: ${reencrypted} re-encrypted`,
  )
  const unreadable = results.flatMap(({ column, unreadable }) =>
    unreadable.map((row) => `${column.replace('_', ' ')}: none of the keys decrypts ${row}`),
  )
  const nextStep =
    unreadable.length > 0
      ? 'Keep the old keys until these rows are resolved: add the key that encrypted them and run this command again, or set the headers again and rotate the signing secret.'
      : 'Everything is encrypted with the first key. When every process runs with this key first, you can remove the others from POSTHORN_ENCRYPTION_KEYS.'
  return [...counts, ...unreadable, '', nextStep].join('\n')
}
