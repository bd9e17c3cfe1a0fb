import { access, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { Counts } from '../transfer/import-contents.ts'
import { passphraseFileOption, readPassphrase } from './read-passphrase.ts'
import { print, runCommand, withServices } from './run-command.ts'

interface ExportOptions {
  readonly passphraseFile?: string
  readonly json?: boolean
}

/** `posthorn export`: writes the configuration to an encrypted file. */
export function registerExport(program: Command): void {
  program
    .command('export')
    .summary('write the configuration to an encrypted file')
    .description(
      'Writes organizations, event types, webhooks with their secrets and headers, and API keys to a file that only the passphrase opens. Events, deliveries and the audit log are left out. The service may keep running; the audit log records that secrets were read.',
    )
    .argument('[file]', 'a new file; - or no file writes to standard output', '-')
    .addOption(passphraseFileOption())
    .option(
      '--json',
      'print {"exported":{"organizations":1,"event_types":2,"webhooks":3,"api_keys":4}}; needs a file',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ posthorn export posthorn.export
  $ DATABASE_URL=postgres://… posthorn import posthorn.export`,
    )
    .action(async (file: string, { passphraseFile, json }: ExportOptions) => {
      await runCommand(async () => {
        await requireNewFile(file, json)
        const passphrase = await readPassphrase(passphraseFile, { isNew: true })
        const [{ exportContents }, { sealContents }, { countsOf }, { requireListedKeys }] =
          await Promise.all([
            import('../transfer/export-contents.ts'),
            import('../transfer/sealed-file.ts'),
            import('../transfer/import-contents.ts'),
            import('../encryption/stored-secrets.ts'),
          ])
        const contents = await withServices(
          async ({ database: { pool }, webhooks: { keyring } }) => {
            await requireListedKeys(pool, keyring)
            return await exportContents(pool, keyring)
          },
        )
        const sealed = await sealContents(contents, passphrase)
        const counts = countsOf(contents)
        const text = `Exported ${describeCounts(counts)}.`
        if (file === '-') {
          process.stdout.write(sealed)
          process.stderr.write(`${text}\n`)
          return
        }
        await writeFile(file, sealed, { flag: 'wx', mode: 0o600 })
        print(
          json,
          { exported: countsJson(counts) },
          `${text} Keep ${file} and the passphrase apart.`,
        )
      })
    })
}

/** Found out before somebody types a passphrase. */
async function requireNewFile(file: string, json: boolean | undefined): Promise<void> {
  if (file === '-') {
    if (json)
      throw new Error('--json needs a file: without one, the export goes to standard output.')
    if (process.stdout.isTTY)
      throw new Error('Give a file, such as `posthorn export posthorn.export`.')
    return
  }
  const exists = await access(file).then(
    () => true,
    () => false,
  )
  if (exists) throw new Error(`The file ${file} exists. Give the name of a new one.`)
}

/** `1 organization, 2 event types, 3 webhooks and 4 API keys` */
export function describeCounts({ organizations, eventTypes, webhooks, apiKeys }: Counts): string {
  const count = (number: number, noun: string) =>
    `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`
  const parts = [
    count(organizations, 'organization'),
    count(eventTypes, 'event type'),
    count(webhooks, 'webhook'),
  ]
  return `${parts.join(', ')} and ${count(apiKeys, 'API key')}`
}

export function countsJson({ organizations, eventTypes, webhooks, apiKeys }: Counts) {
  return { organizations, event_types: eventTypes, webhooks, api_keys: apiKeys }
}
