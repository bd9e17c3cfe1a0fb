import { open } from 'node:fs/promises'
import type { Command } from 'commander'
import { runCommand, withServices } from './run-command.ts'

interface Options {
  readonly organization?: string
  readonly output?: string
}

/** `posthorn export`: all rows, or those of an organization, as lines of JSON. */
export function registerExport(program: Command): void {
  program
    .command('export')
    .summary('write all rows, or those of an organization, as lines of JSON')
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
    .action(async ({ organization, output }: Options) => {
      const { writeExport } = await import('../export/write-export.ts')
      await runCommand(async () => {
        await withServices(
          async ({ database: { pool } }) => {
            const file = output === undefined ? null : await open(output, 'wx', 0o600)
            await writeExport(
              pool,
              organization ?? null,
              file?.createWriteStream() ?? process.stdout,
            )
          },
          { reads: true },
        )
      })
    })
}
