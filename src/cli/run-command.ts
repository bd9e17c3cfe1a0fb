import type { Services } from '../app.ts'
import { ConfigError, readEnvironment } from '../config/config.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { DomainError } from '../lib/errors.ts'

/**
 * What a command needs of a database that is up to date. Nothing is logged but warnings.
 * Loaded only here, so that commands without a database, and --help, begin at once.
 */
export async function withServices<T>(use: (services: Services) => Promise<T>): Promise<T> {
  const [{ openRuntime }, { openServices }, { migrate }] = await Promise.all([
    import('../embedded/runtime.ts'),
    import('../app.ts'),
    import('../migrate/migrate.ts'),
  ])
  await using runtime = await openRuntime(readEnvironment())
  const quiet = { ...runtime, config: { ...runtime.config, logLevel: 'warn' as const } }
  await using services = openServices(quiet)
  await migrate(services.database.pool, { workerSchema: quiet.config.workerSchema })
  return await use(services)
}

/** Runs the body of a command. What goes wrong is one clear error on stderr and exit code 1. */
export async function runCommand(body: () => Promise<void>): Promise<void> {
  try {
    await body()
  } catch (error) {
    process.stderr.write(`error: ${explain(error)}\n`)
    process.exitCode = 1
  }
}

/** One JSON value on stdout with `--json`; otherwise words for people. */
export function print(json: boolean | undefined, value: unknown, words: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : words}\n`)
}

function explain(error: unknown): string {
  if (error instanceof DomainError || error instanceof ConfigError) return error.message
  if (isDatabaseUnavailable(error)) {
    return `Postgres cannot be reached (${messageOf(error)}). Check DATABASE_URL and that the server runs.`
  }
  return messageOf(error)
}

/** A connection that failed on every address of a name carries its reasons inside. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map(messageOf).join('; ')
  }
  return error instanceof Error ? error.message : String(error)
}
