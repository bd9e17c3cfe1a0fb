import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Command } from 'commander'
import { readExport } from '../organizations/export/read-export.ts'
import { writeExport } from '../organizations/export/write-export.ts'
import { action, printing, withServices } from './command.ts'

interface ExportOptions {
  readonly organization?: string
  readonly output?: string
}

/** `posthorn export`: all rows, or those of an organization, as lines of JSON. */
export function registerExport(program: Command): void {
  program
    .command('export')
    .description(
      'Writes the rows of the database of the settings as lines of JSON, as they are at one moment: a header, then {"table":"…","row":{…}} for each row. Secrets stay encrypted with POSTHORN_ENCRYPTION_KEYS. Run it as the owner of the tables. `posthorn import` reads the file.',
    )
    .option('--organization <id>', 'only this organization, org_…, and the event types')
    .option('--output <file>', 'a new file (default: standard output)')
    .addHelpText(
      'after',
      `
Examples:
  $ posthorn export --output posthorn.jsonl
  $ DATABASE_URL=postgres://… posthorn import posthorn.jsonl`,
    )
    .action(
      action(async ({ organization, output }: ExportOptions) => {
        await withServices(
          async ({ database: { pool } }) => {
            const file = output === undefined ? null : await open(output, 'wx', 0o600)
            const lines = file?.createWriteStream() ?? process.stdout
            await writeExport(pool, organization ?? null, lines)
          },
          { reads: true },
        )
      }),
    )
}

/** `posthorn import`: reads a file of `posthorn export` into an empty installation. */
export function registerImport(program: Command): void {
  program
    .command('import')
    .description(
      'Migrates the database of the settings, and reads the rows of an export into it, all or nothing. The database has no organizations. POSTHORN_ENCRYPTION_KEYS has the keys of the installation that the file is of. Run it as the owner of the tables, while no Posthorn uses the database.',
    )
    .argument('<file>', 'a file that `posthorn export` wrote; - reads standard input')
    .option('--json', 'print {"rows":3}')
    .action(
      printing(async (file: string) => {
        const lines = file === '-' ? process.stdin : createReadStream(file)
        const rows = await withServices(({ database: { pool }, webhooks: { keyring } }) =>
          readExport(pool, keyring, lines),
        )
        return [{ rows }, `Imported ${rows.toLocaleString('en')} rows.`]
      }),
    )
}
