import type { Command } from 'commander'
import { readEnvironment } from '../config/config.ts'
import { openDatabase } from '../db/client.ts'
import { grantDashboardsRole, grantServiceRole } from '../db/migrate/grant-roles.ts'
import { migrateDatabase } from '../db/migrate/migrate.ts'
import { openRuntime } from '../run/embedded/runtime.ts'
import { printing } from './command.ts'

interface MigrateOptions {
  readonly serviceRole?: string
  readonly dashboardsRole?: string
}

/** `posthorn migrate`: migrates the database to this version and exits. */
export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .description(
      "Applies the migrations of graphile-worker and of Posthorn, which are recorded in Prisma's table. Running it again changes nothing; parallel runs wait for each other. Needs no POSTHORN_ENCRYPTION_KEYS.",
    )
    .option(
      '--service-role <role>',
      'grant this Postgres role only the privileges to run the service (see deploy/roles.sql)',
    )
    .option(
      '--dashboards-role <role>',
      'grant this Postgres role only the privileges to read the jobs and the backlogs of webhooks (see deploy/roles.sql)',
    )
    .option('--json', 'print {"applied":["…"]}')
    .action(
      printing(async ({ serviceRole, dashboardsRole }: MigrateOptions) => {
        // A migration stores no secret.
        const required = { requireEncryptionKeys: false }
        await using runtime = await openRuntime(readEnvironment(), required)
        const { config, secrets } = runtime
        const { workerSchema } = config
        const applied = await migrateDatabase(secrets, workerSchema)
        await using database = openDatabase(secrets.databaseUrl)
        const { pool } = database
        if (serviceRole) await grantServiceRole(pool, serviceRole, workerSchema)
        if (dashboardsRole) await grantDashboardsRole(pool, dashboardsRole, workerSchema)
        const text =
          applied.length > 0
            ? `Applied:\n${applied.map((name) => `  ${name}`).join('\n')}`
            : 'The database is up to date.'
        return [{ applied }, text]
      }),
    )
}
