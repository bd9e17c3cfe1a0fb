import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import { COMMAND_LINE } from '../auth/access/actor.ts'
import {
  type GivenCatalogue,
  printCatalogue,
  readCatalogue,
} from '../event-types/catalogue/catalogue-type.ts'
import type { Finding } from '../event-types/catalogue/findings.ts'
import {
  type CatalogueImport,
  type CatalogueImportOptions,
  importCatalogue,
} from '../event-types/catalogue/import-catalogue.ts'
import {
  parseCatalogueFile,
  parseSchemaFile,
  renameTypes,
  textOf,
} from '../event-types/catalogue/parse-catalogue.ts'
import { mutation, run } from './api.ts'
import { collect, printedTable, printing, type Row, readInput, withServices } from './command.ts'
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

/** An option of commands that change the catalogue. */
const ACCEPT_BROKEN_SELECTIONS = [
  '--accept-broken-selections',
  'change the catalogue even if that breaks selections of webhooks, which then go on sending what they took when they were saved',
] as const

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

/** Nothing was written because of findings, or the dry run found some. */
const EXIT_WITH_FINDINGS = 3

interface ImportOptions extends CatalogueImportOptions {
  readonly name?: readonly string[]
}

function registerImport(eventType: Command): void {
  eventType
    .command('import')
    .description(
      'Adds and changes event types of the database in one transaction, and shows the difference. An event type that cannot be imported stays as it is, and so does an example; the output says why, where and what to do. The difference says what a change breaks: a schema refuses some of the newest 1,000 stored events of its type, or a selection of a webhook takes what is no longer there. With such findings, nothing is written unless --force is given.',
    )
    .argument(
      '<path>',
      'a folder with one JSON Schema for each event type (order.paid.json; with description, title, examples, x-group and x-search-keys), a file that `posthorn event-type export` wrote, or an OpenAPI 3.1 document (JSON) with webhooks',
    )
    .option('--dry-run', 'only show the difference')
    .option(
      '--archive-missing',
      'archive the event types that the files do not have (default: they stay)',
    )
    .option('--force', 'write changes that break something')
    .option('--strict', 'change nothing if an event type or an example cannot be imported')
    .option(
      '--name <from=to>',
      "import the event type `from` of the files under the name `to`, such as '/AUTHORISATION=payments.authorised'; for each name once",
      collect,
    )
    .option(...ACCEPT_BROKEN_SELECTIONS)
    .option(
      '--json',
      'print {"changes":[{"name":"order.paid","change":"changed","fields":["schema"],"findings":[…]}],"unchanged":1,"refused":[{"name":"order.held","problem":"…"}],"warnings":[],"written":true}',
    )
    .addHelpText(
      'after',
      `
The exit code is 0 if nothing breaks or the findings are accepted, 1 after an error, and 3 with other findings: nothing was written.

Examples:
  $ posthorn event-type import schemas/ --dry-run
  $ posthorn event-type import openapi.json`,
    )
    .action(
      printing(async (source: string, { name = [], ...options }: ImportOptions) => {
        const given = renameTypes(await readSource(source), name)
        const imported = await withServices(({ database: { prisma } }) =>
          importCatalogue(prisma, given, options, COMMAND_LINE),
        )
        const breaks = imported.changes.some(({ findings }) => findings.length > 0)
        if (breaks && !imported.written) process.exitCode = EXIT_WITH_FINDINGS
        const changes = imported.changes.map((change) => {
          return { ...change, findings: change.findings.map(findingJson) }
        })
        return [{ ...imported, changes }, importText(imported, options)]
      }),
    )
}

/** Reads the event types of a folder of JSON Schemas, or of one file. */
async function readSource(source: string): Promise<GivenCatalogue> {
  const isFolder = source !== '-' && (await stat(source)).isDirectory()
  if (!isFolder) return parseCatalogueFile(await readInput(source), path.basename(source))
  const files = (await readdir(source)).filter((file) => file.endsWith('.json')).toSorted()
  if (files.length === 0) {
    throw new Error(
      `The folder ${source} has no JSON Schemas. Add one for each event type, such as order.paid.json.`,
    )
  }
  const types = await Promise.all(
    files.map(async (file) => parseSchemaFile(await readFile(path.join(source, file)), file)),
  )
  return { types, refused: [] }
}

type Change = CatalogueImport['changes'][number]

const SIGNS = { added: '+', changed: '~', archived: '-', unarchived: '+' } as const

/** The difference for people: a line for each event type, and its findings below. */
function importText(imported: CatalogueImport, { dryRun }: CatalogueImportOptions): string {
  const { changes, unchanged, refused, warnings, written } = imported
  const counts = Object.keys(SIGNS).flatMap((kind) => {
    const { length } = changes.filter(({ change }) => change === kind)
    return length > 0 ? `${length} ${kind}` : []
  })
  const left = new Set(refused.map(({ name }) => name)).size
  const others = [`${unchanged} unchanged`, ...(left > 0 ? [`${left} not imported`] : [])]
  return [
    ...changes.flatMap(changeLines),
    ...refused.map(({ problem }) => `✘ not imported: ${problem}`),
    ...warnings.map(({ problem }) => `! imported without its example: ${problem}`),
    `Event types: ${[...counts, ...others].join(', ')}.`,
    ...(written || changes.length === 0 ? [] : [whyNotWritten(changes, dryRun)]),
  ].join('\n')
}

function whyNotWritten(changes: readonly Change[], dryRun?: boolean): string {
  const problems = changes.flatMap(({ findings }) => findings).length
  if (problems === 0) return 'Nothing was written: this is a dry run.'
  const remedy = dryRun ? 'An import needs --force.' : 'To import all the same, add --force.'
  return `Nothing was written. Problems: ${problems}. ${remedy}`
}

function changeLines({ name, change, fields, findings }: Change): string[] {
  const shown = change === 'changed' ? `: ${fields.join(', ')}` : ''
  return [
    `${SIGNS[change]} ${name} ${change}${shown}`,
    ...findings.map(({ kind, message, remedy }) => `    ${kind}: ${message} ${remedy}`),
  ]
}

function findingJson({ eventId, webhookIds, ...finding }: Finding) {
  return { ...finding, event_id: eventId, webhook_ids: webhookIds }
}
