import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { print, runCommand, withServices } from './run-command.ts'

/** `posthorn import`: reads a file of `posthorn export` into an empty installation. */
export function registerImport(program: Command): void {
  program
    .command('import')
    .summary('read a file of `posthorn export` into an empty installation')
    .description(
      'Migrates the database of the settings, and reads the rows of an export into it, all or nothing. The database has no organizations. POSTHORN_ENCRYPTION_KEYS has the keys of the installation that the file is of. Run it as the owner of the tables, while no Posthorn uses the database.',
    )
    .argument('<file>', 'a file that `posthorn export` wrote; - reads standard input')
    .option('--json', 'print {"rows":3}')
    .action(async (file: string, { json }: { json?: boolean }) => {
      const { readExport } = await import('../export/read-export.ts')
      await runCommand(async () => {
        const lines = file === '-' ? process.stdin : createReadStream(file)
        const rows = await withServices(
          async ({ database: { pool }, webhooks: { keyring } }) =>
            await readExport(pool, keyring, lines),
        )
        print(json, { rows }, `Imported ${rows.toLocaleString('en')} rows.`)
      })
    })
}
