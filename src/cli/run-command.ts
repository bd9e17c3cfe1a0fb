import type { Services } from '../app.ts'
import { readEnvironment } from '../config/config.ts'
import { ServerError } from './send-request.ts'

/**
 * Migrates the database and calls `use` with the services. Logs only warnings and errors.
 * The imports are dynamic, so that --help and commands without a database start quickly.
 */
export async function withServices<T>(use: (services: Services) => Promise<T>): Promise<T> {
  const [{ openRuntime }, { openServices }, { migrateDatabase }] = await Promise.all([
    import('../embedded/runtime.ts'),
    import('../app.ts'),
    import('../migrate/migrate-database.ts'),
  ])
  await using runtime = await openRuntime(readEnvironment())
  const quiet = { ...runtime, config: { ...runtime.config, logLevel: 'warn' as const } }
  const { workerSchema } = quiet.config
  await migrateDatabase(quiet.secrets, { workerSchema })
  await using services = openServices(quiet)
  return await use(services)
}

/** Runs the body of a command. An exception becomes one error message on stderr and exit code 1. */
export async function runCommand(body: () => Promise<void>): Promise<void> {
  try {
    await body()
  } catch (error) {
    process.stderr.write(`error: ${await explain(error)}\n`)
    process.exitCode = 1
  }
}

async function explain(error: unknown): Promise<string> {
  if (error instanceof ServerError) return error.message
  const { explainFailure } = await import('../db/explain-failure.ts')
  return explainFailure(error)
}

/** Prints `value` as JSON with `--json`, otherwise `text` for people. */
export function print(json: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value, validTimes) : text}\n`)
}

/** JSON has null for an invalid time; here it is a fault. */
function validTimes(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const given = this[name]
  return given instanceof Date ? given.toISOString() : value
}
