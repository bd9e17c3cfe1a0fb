import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { printCatalogue, readCatalogue } from '../event-types/catalogue/catalogue-type.ts'
import { textOf } from '../event-types/catalogue/parse-catalogue.ts'
import { mutation, run } from './api.ts'
import { printedTable, printing, type Row, readInput, withServices } from './command.ts'
import { ACCEPT_BROKEN_SELECTIONS, registerImport } from './event-type-import.ts'
import { call, withServerOptions } from './server-command.ts'

/** `posthorn event-type create`, `list`, `export` and `import`. */
export function registerEventType(program: Command): void {
  const eventType = program
    .command('event-type')
    .description('Manages the catalogue of event types.')
  registerCreate(eventType)
  registerList(eventType)
  registerExport(eventType)
  registerImport(eventType)
}

interface CreateOptions {
  readonly description: string
  readonly group?: string
  readonly schema?: string
  readonly example?: string
  readonly searchKey?: string[]
  readonly acceptBrokenSelections?: boolean
}

function registerCreate(eventType: Command): void {
  withServerOptions(eventType.command('create'), 'the scope admin')
    .description(
      'Adds an event type to the catalogue of all organizations. `posthorn event-type import` adds and changes many.',
    )
    .argument(
      '<name>',
      'at most 128 letters, digits, _ and -, in words joined by dots, such as order.paid',
    )
    .requiredOption(
      '--description <text>',
      'what an event of this type means: 1 to 1,000 characters',
    )
    .option('--group <name>', 'the group in the catalogue, such as Orders: 1 to 100 characters')
    .option(
      '--schema <file>',
      'a file with a JSON Schema (2020-12) of at most 512 KiB for the data of events; - reads standard input (default: any JSON is valid)',
    )
    .option('--example <file>', 'a file with an example of the data, which matches the schema')
    .option(
      '--search-key <path...>',
      'at most 8 JSON paths in the data, such as $.order.id, by whose values events are found',
    )
    .option(...ACCEPT_BROKEN_SELECTIONS)
    .option('--json', 'print {"name":"order.paid","version":1}')
    .addHelpText(
      'after',
      `
Example:
  $ posthorn event-type create order.paid --description 'An order was paid.' --schema order.paid.json`,
    )
    .action(
      call(async (client, name: string, options: CreateOptions) => {
        const input = {
          name,
          description: options.description,
          group: options.group ?? null,
          searchKeys: options.searchKey ?? [],
          schemaText: await readJson(options.schema),
          exampleText: await readJson(options.example),
          acceptBrokenSelections: options.acceptBrokenSelections ?? false,
        }
        type Created = { eventType: { version: number } }
        const { eventType } = await run<Created>(client, CREATE, { input })
        return [{ name, version: eventType.version }, `${name} is in the catalogue.`]
      }),
    )
}

const CREATE = mutation(
  'createEventType(input: $input)',
  '$input: CreateEventTypeInput!',
  'eventType { version }',
)

async function readJson(file: string | undefined): Promise<string | null> {
  return file === undefined ? null : textOf(await readInput(file), file).trim()
}

function registerList(eventType: Command): void {
  withServerOptions(eventType.command('list'), 'any scope')
    .description('Lists the event types of the catalogue.')
    .option('--archived', 'with the archived ones (default: without)', false)
    .option('--json', 'print an array of event types, sorted by name')
    .action(
      call(async (client, { archived }: { readonly archived: boolean }) => {
        const types = await run<Row[]>(client, EVENT_TYPES, { archived })
        return printedTable(types, COLUMNS, 'There are no event types.')
      }),
    )
}

const EVENT_TYPES = `query ($archived: Boolean) {
  eventTypes(includeArchived: $archived) {
    name description group version search_keys: searchKeys retention_days: retentionDays
    archived_at: archivedAt
  }
}`

const COLUMNS = ['name', 'version', 'archived_at', 'group', 'description']

function registerExport(eventType: Command): void {
  eventType
    .command('export')
    .description(
      'Writes every event type of the database, archived ones included, with its schema and its example to the letter. `posthorn event-type import` of the file changes nothing. Operational event types (posthorn.*) are left out.',
    )
    .argument('[file]', 'the file; - or no file writes to standard output', '-')
    .option('--json', 'print {"exported":2}; needs a file')
    .action(
      printing(async (file: string, { json }: { readonly json?: boolean }) => {
        if (file === '-' && json) {
          throw new Error('With --json, give a file: standard output has the catalogue otherwise.')
        }
        const types = await withServices(({ database: { prisma } }) => readCatalogue(prisma), {
          reads: true,
        })
        const text = printCatalogue(types)
        if (file === '-') return [types, text.trimEnd()]
        await writeFile(file, text)
        return [{ exported: types.length }, `Exported ${types.length} event types.`]
      }),
    )
}
