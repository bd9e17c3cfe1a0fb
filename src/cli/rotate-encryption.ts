import type { Command } from 'commander'
import { COMMAND_LINE } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { type Reencrypted, reencryptStoredSecrets } from '../encryption/stored-secrets.ts'
import { print, runCommand, withServices } from './run-command.ts'

/** `posthorn key rotate-encryption`: encrypts what is stored anew, while the service runs. */
export function registerRotateEncryption(key: Command): void {
  key
    .command('rotate-encryption')
    .summary('encrypt stored secrets anew with the first encryption key')
    .description(
      'Encrypts everything anew that the first key of POSTHORN_ENCRYPTION_KEYS did not encrypt: signing secrets, custom headers and the answers kept for idempotency keys. The service may run meanwhile; broken off, it goes on where it was when it is run again.',
    )
    .option(
      '--json',
      'print {"reencrypted":{"signing_secrets":1,…},"unreadable":{"signing_secrets":[],…},"old_keys_removable":true}',
    )
    .addHelpText(
      'after',
      `
To change the key:
  1. Put a new key before the others in POSTHORN_ENCRYPTION_KEYS, and restart every process with it.
  2. Run this command with the same setting.
  3. When it says so, remove the other keys, and restart every process.`,
    )
    .action(async ({ json }: { json?: boolean }) => {
      await runCommand(() =>
        withServices(async ({ database: { pool, prisma }, webhooks: { keyring } }) => {
          await writeAuditEntry(prisma, COMMAND_LINE, {
            action: 'encryption.rotated',
            organizationId: null,
            subjectId: 'POSTHORN_ENCRYPTION_KEYS',
          })
          const done = await reencryptStoredSecrets(pool, keyring)
          const unreadable = done.some((column) => column.unreadable.length > 0)
          print(json, toJson(done, !unreadable), inWords(done))
          if (unreadable) process.exitCode = 1
        }),
      )
    })
}

function toJson(done: readonly Reencrypted[], removable: boolean) {
  return {
    reencrypted: Object.fromEntries(done.map((one) => [one.column, one.reencrypted])),
    unreadable: Object.fromEntries(done.map((one) => [one.column, one.unreadable])),
    old_keys_removable: removable,
  }
}

function inWords(done: readonly Reencrypted[]): string {
  const lines = done.map(
    ({ column, reencrypted }) => `${column.replace('_', ' ')}: ${reencrypted} encrypted anew`,
  )
  const unreadable = done.flatMap(({ column, unreadable }) =>
    unreadable.map((row) => `${column.replace('_', ' ')}: none of the keys decrypts ${row}`),
  )
  const verdict =
    unreadable.length > 0
      ? 'Keep the other keys until these are settled: add the key that they were encrypted with and run this again, or give the headers anew and rotate the signing secret.'
      : 'Everything is encrypted with the first key. Once every process runs with it as its first, the others can be removed from POSTHORN_ENCRYPTION_KEYS.'
  return [...lines, ...unreadable, '', verdict].join('\n')
}
