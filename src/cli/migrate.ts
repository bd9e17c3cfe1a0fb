import type { Command } from 'commander'
import { readEnvironment } from '../config/config.ts'
import { restartOtherWorkersOption } from './restart-other-workers.ts'
import { print, runCommand } from './run-command.ts'

interface MigrateOptions {
  readonly json?: boolean
  readonly serviceRole?: string
  readonly dashboardsRole?: string
  readonly restartOtherWorkers: boolean
}

/** `posthorn migrate`: brings the database to this version, and stops. */
export function registerMigrate(program: Command): void {
  program
    .command('migrate')
    .summary('apply the migrations and stop')
    .description(
      "Applies graphile-worker's migrations and Posthorn's, in Prisma's bookkeeping. Doing it again changes nothing; several at once wait for each other.",
    )
    .option(
      '--service-role <role>',
      'give this role of Postgres what it takes to run the service, and no more (see deploy/roles.sql)',
    )
    .option(
      '--dashboards-role <role>',
      'let this role of Postgres read the jobs and the backlogs of webhooks, and no more (see deploy/roles.sql)',
    )
    .addOption(restartOtherWorkersOption())
    .option('--json', 'print {"applied":["…"]}')
    .action(async ({ json, serviceRole, dashboardsRole, restartOtherWorkers }: MigrateOptions) => {
      await runCommand(async () => {
        const [{ openRuntime }, { openServices }, { migrate }, service, dashboards] =
          await Promise.all([
            import('../embedded/runtime.ts'),
            import('../app.ts'),
            import('../migrate/migrate.ts'),
            import('../migrate/grant-service-role.ts'),
            import('../migrate/grant-dashboards-role.ts'),
          ])
        await using runtime = await openRuntime(readEnvironment())
        await using services = openServices(runtime)
        const { pool } = services.database
        const { workerSchema } = runtime.config
        const applied = await migrate(pool, { workerSchema, restartOtherWorkers })
        if (serviceRole !== undefined) {
          await service.grantServiceRole(pool, serviceRole, workerSchema)
        }
        if (dashboardsRole !== undefined) {
          await dashboards.grantDashboardsRole(pool, dashboardsRole, workerSchema)
        }
        const words =
          applied.length > 0
            ? `Applied:\n${applied.map((name) => `  ${name}`).join('\n')}`
            : 'The database is up to date.'
        print(json, { applied }, words)
      })
    })
}
