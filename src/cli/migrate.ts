import type { Command } from 'commander'
import { readEnvironment } from '../config.ts'
import { print, runCommand } from './run-command.ts'

/** `posthorn migrate`: brings the database to this version, and stops. */
export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .summary('apply the migrations and stop')
    .description(
      "Applies graphile-worker's migrations and Posthorn's, in Prisma's bookkeeping. Doing it again changes nothing; several at once wait for each other.",
    )
    .option('--json', 'print {"applied":["…"]}')
    .action(async ({ json }: { json?: boolean }) => {
      await runCommand(async () => {
        const [{ openRuntime }, { openServices }, { migrate }] = await Promise.all([
          import('../runtime.ts'),
          import('../services.ts'),
          import('../db/migrate.ts'),
        ])
        await using runtime = await openRuntime(readEnvironment())
        await using services = openServices(runtime)
        const applied = await migrate(services.database.pool)
        const words =
          applied.length > 0
            ? `Applied:\n${applied.map((name) => `  ${name}`).join('\n')}`
            : 'The database is up to date.'
        print(json, { applied }, words)
      })
    })
}
