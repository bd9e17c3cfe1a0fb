import type { Command } from 'commander'
import { textOf } from '../event-types/catalogue/parse-catalogue.ts'
import { run } from './api.ts'
import { registerExport } from './event-type/export.ts'
import { ACCEPT_BROKEN_SELECTIONS, registerImport } from './event-type/import.ts'
import { readInput } from './read-input.ts'
import { print, runCommand } from './run-command.ts'
import { openAccess, type ServerOptions, withServerOptions } from './server-access.ts'

/** `posthorn event-type create`, `list`, `export` and `import`. */
export function registerEventType(program: Command): void {
  const eventType = program.command('event-type').summary('manage the catalogue of event types')
  registerCreate(eventType)
  registerList(eventType)
  registerExport(eventType)
  registerImport(eventType)
}

interface CreateOptions extends ServerOptions {
  readonly description: string
  readonly group?: string
  readonly schema?: string
  readonly example?: string
  readonly searchKey?: string[]
  readonly acceptBrokenSelections?: boolean
  readonly json?: boolean
}

function registerCreate(eventType: Command): void {
  withServerOptions(eventType.command('create'), 'the scope admin')
    .summary('add an event type to the catalogue')
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
      'a file with a JSON Schema (2020-12) of at most 512 KiB, without descriptions and examples, for the data of events; - reads standard input (default: any JSON is valid)',
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
    .action(async (name: string, options: CreateOptions) => {
      await runCommand(async () => {
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
        const { eventType } = await run<Created>(await openAccess(options), CREATE, { input })
        const { version } = eventType
        print(options.json, { name, version }, `${name} is in the catalogue.`)
      })
    })
}

const CREATE = `mutation ($input: CreateEventTypeInput!) {
  createEventType(input: $input) {
    ... on CreateEventTypeSuccess { eventType { version } }
    ... on UserError { code message }
  }
}`

async function readJson(file: string | undefined): Promise<string | null> {
  return file === undefined ? null : textOf(await readInput(file), file).trim()
}

interface ListOptions extends ServerOptions {
  readonly archived?: boolean
  readonly json?: boolean
}

function registerList(eventType: Command): void {
  withServerOptions(eventType.command('list'), 'any scope')
    .summary('list the event types of the catalogue')
    .option('--archived', 'with the archived ones (default: without)')
    .option('--json', 'print an array of event types, sorted by name')
    .action(async ({ archived = false, ...options }: ListOptions) => {
      await runCommand(async () => {
        const access = await openAccess(options)
        const types = await run<EventType[]>(access, EVENT_TYPES, { archived })
        const lines = types.map(toLine)
        print(options.json, types.map(toJson), lines.join('\n') || 'There are no event types.')
      })
    })
}

const EVENT_TYPES = `query ($archived: Boolean) {
  eventTypes(includeArchived: $archived) {
    name description group version searchKeys retentionDays archivedAt
  }
}`

interface EventType {
  readonly name: string
  readonly description: string
  readonly group: string | null
  readonly version: number
  readonly searchKeys: readonly string[]
  readonly retentionDays: number | null
  readonly archivedAt: string | null
}

function toJson({ searchKeys, retentionDays, archivedAt, ...type }: EventType) {
  return {
    ...type,
    search_keys: searchKeys,
    retention_days: retentionDays,
    archived_at: archivedAt,
  }
}

function toLine({ name, group, version, description, archivedAt }: EventType): string {
  const archived = archivedAt === null ? '' : '  archived'
  return `${name}  v${version}${archived}${group === null ? '' : `  ${group}`}  ${JSON.stringify(description)}`
}
