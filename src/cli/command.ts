import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { InvalidArgumentError } from 'commander'
import { PosthornError } from '../../packages/client/src/index.ts'
import { readEnvironment } from '../config/config.ts'
import type { Services } from '../run/services.ts'
import { explainApiError } from './api.ts'
import { escapeControls } from './listen/terminal.ts'

/**
 * Calls `use` with the services on a migrated database. A command that only `reads` does not migrate: it throws. Logs only
 * warnings and errors. The imports are dynamic, so that --help and commands without a database start quickly.
 */
export async function withServices<T>(
  use: (services: Services) => Promise<T>,
  { reads = false } = {},
): Promise<T> {
  const [{ openRuntime }, { openServices }, { migrateDatabase, requireMigrated }] =
    await Promise.all([
      import('../run/embedded/runtime.ts'),
      import('../run/services.ts'),
      import('../db/migrate/migrate.ts'),
    ])
  await using runtime = await openRuntime(readEnvironment())
  const quiet = { ...runtime, config: { ...runtime.config, logLevel: 'warn' as const } }
  if (!reads) await migrateDatabase(quiet.secrets, quiet.config.workerSchema)
  await using services = openServices(quiet)
  if (reads) await requireMigrated(services.database.pool)
  return await use(services)
}

/** From sysexits.h. The unit in deploy/systemd does not start a process again that exits with it. */
const EX_CONFIG = 78

/**
 * The action of a command. An exception becomes one error message on stderr and exit code 1, or 78 if no later start can
 * succeed with the same settings.
 */
export function action<Args extends readonly unknown[]>(body: (...args: Args) => Promise<void>) {
  return async (...args: Args): Promise<void> => {
    try {
      await body(...args)
    } catch (error) {
      const { explainFailure, isMisconfiguration } = await import('../db/explain-failure.ts')
      const text = error instanceof PosthornError ? explainApiError(error) : explainFailure(error)
      process.stderr.write(`error: ${text.split('\n').map(escapeControls).join('\n')}\n`)
      process.exitCode = isMisconfiguration(error) ? EX_CONFIG : 1
    }
  }
}

/** What a command prints: a value with --json, otherwise a text for people. */
export type Printed = readonly [value: unknown, text: string]

/** The action of a command that prints something. `body` gets the arguments, and the options last. */
export function printing<Args extends readonly unknown[]>(
  body: (...args: Args) => Promise<Printed>,
) {
  return action(async (...given: unknown[]) => {
    const args = given.slice(0, -1) as unknown as Args
    const [value, text] = await body(...args)
    const { json } = args.at(-1) as { readonly json?: boolean }
    process.stdout.write(`${json ? JSON.stringify(value) : text}\n`)
  })
}

export type Row = Readonly<Record<string, unknown>>

/** Some columns of the rows as a table, or a sentence if there is no row. */
export function printedTable(
  rows: readonly Row[],
  columns: readonly string[],
  none: string,
): Printed {
  if (rows.length === 0) return [rows, none]
  const cells = rows.map((row) => columns.map((name) => escapeControls(String(row[name] ?? '-'))))
  const lines = [columns, ...cells]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  const text = lines.map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
  return [rows, text.map((line) => line.trimEnd()).join('\n')]
}

/** The same for one row. */
export function printedRow(row: Row, columns: readonly string[]): Printed {
  return [row, printedTable([row], columns, '')[1]]
}

/** Collects the values of a repeated option. */
export const collect = (one: string, others: readonly string[] = []) => [...others, one]

/** The same for values that commas separate. */
export function commaSeparated(text: string, others: readonly string[] = []): string[] {
  const values = text.split(',').map((value) => value.trim())
  if (values.includes('')) throw new InvalidArgumentError('Give names, separated by commas.')
  return [...new Set([...others, ...values])]
}

/** The bytes of a file, or of standard input for `-`. */
export async function readInput(file: string): Promise<Buffer> {
  return file === '-' ? await buffer(process.stdin) : await readFile(file)
}
