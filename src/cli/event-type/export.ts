import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { print, runCommand, withServices } from '../run-command.ts'

export function registerExport(eventType: Command): void {
  eventType
    .command('export')
    .summary('write the catalogue to a JSON file')
    .description(
      'Writes every event type of the database, archived ones included, with its schema and its example to the letter. `posthorn event-type import` of the file changes nothing. Operational event types (posthorn.*) are left out.',
    )
    .argument('[file]', 'the file; - or no file writes to standard output', '-')
    .option('--json', 'print {"exported":2}; needs a file')
    .action(async (file: string, { json }: { json?: boolean }) => {
      await runCommand(async () => {
        if (file === '-' && json) {
          throw new Error('With --json, give a file: standard output has the catalogue otherwise.')
        }
        const { printCatalogue, readCatalogue } = await import(
          '../../event-types/catalogue/catalogue-type.ts'
        )
        const types = await withServices(({ database: { pool } }) => readCatalogue(pool), {
          reads: true,
        })
        const text = printCatalogue(types)
        if (file === '-') {
          process.stdout.write(text)
          return
        }
        await writeFile(file, text)
        print(json, { exported: types.length }, `Exported ${types.length} event types.`)
      })
    })
}
