import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import { COMMAND_LINE } from '../auth/access/actor.ts'
import type { GivenCatalogue } from '../event-types/catalogue/catalogue-type.ts'
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
} from '../event-types/catalogue/parse-catalogue.ts'
import { collect, printing, readInput, withServices } from './command.ts'

/** An option of commands that change the catalogue. */
export const ACCEPT_BROKEN_SELECTIONS = [
  '--accept-broken-selections',
  'change the catalogue even if that breaks selections of webhooks, which then go on sending what they took when they were saved',
] as const

/** Nothing was written because of findings, or the dry run found some. */
const EXIT_WITH_FINDINGS = 3

interface ImportOptions extends CatalogueImportOptions {
  readonly name?: readonly string[]
}

export function registerImport(eventType: Command): void {
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
