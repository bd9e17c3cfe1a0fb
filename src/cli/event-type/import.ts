import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Command } from 'commander'
import type { GivenType } from '../../event-types/catalogue/catalogue-type.ts'
import type {
  CatalogueImport,
  CatalogueImportOptions,
} from '../../event-types/catalogue/import-catalogue.ts'
import { parseCatalogueFile, parseSchemaFile } from '../../event-types/catalogue/parse-catalogue.ts'
import { readInput } from '../read-input.ts'
import { print, runCommand, withServices } from '../run-command.ts'
import { importJson, importText } from './import-text.ts'

/** An option of commands that change the catalogue. */
export const ACCEPT_BROKEN_SELECTIONS = [
  '--accept-broken-selections',
  'change the catalogue even if that breaks selections of webhooks, which then go on sending what they took when they were saved',
] as const

/** Nothing was written because of findings, or the dry run found some. */
const EXIT_WITH_FINDINGS = 3

interface ImportOptions extends CatalogueImportOptions {
  readonly json?: boolean
}

export function registerImport(eventType: Command): void {
  eventType
    .command('import')
    .summary('make the catalogue equal to files')
    .description(
      'Adds and changes event types of the database, all or none, and shows the difference. The difference says what a change breaks: a schema that refuses some of the newest 1,000 stored events, what receivers rely on, filters and selections of webhooks, and search keys. With such findings, nothing is written unless --force is given.',
    )
    .argument(
      '<path>',
      'a folder with one JSON Schema for each event type (order.paid.json; with description or title, examples, x-group and x-search-keys), a file that `posthorn event-type export` wrote, or an OpenAPI 3.1 document (JSON) with webhooks',
    )
    .option('--dry-run', 'only show the difference')
    .option(
      '--archive-missing',
      'archive the event types that the files do not have (default: they stay)',
    )
    .option('--force', 'write changes that break something')
    .option(...ACCEPT_BROKEN_SELECTIONS)
    .option(
      '--json',
      'print {"changes":[{"name":"order.paid","change":"changed","fields":["schema"],"findings":[…]}],"unchanged":1,"written":true}',
    )
    .addHelpText(
      'after',
      `
The exit code is 0 if nothing breaks or the findings are accepted, 1 after an error, and 3 with other findings: nothing was written.

Examples:
  $ posthorn event-type import schemas/ --dry-run
  $ posthorn event-type import openapi.json`,
    )
    .action(async (source: string, { json, ...options }: ImportOptions) => {
      await runCommand(async () => {
        const imported = await importSource(source, options)
        print(json, importJson(imported), importText(imported, options))
        const breaks = imported.changes.some(({ findings }) => findings.length > 0)
        if (breaks && !imported.written) process.exitCode = EXIT_WITH_FINDINGS
      })
    })
}

async function importSource(
  source: string,
  options: CatalogueImportOptions,
): Promise<CatalogueImport> {
  const given = await readSource(source)
  const [{ importCatalogue }, { COMMAND_LINE }] = await Promise.all([
    import('../../event-types/catalogue/import-catalogue.ts'),
    import('../../access/actor.ts'),
  ])
  return await withServices(({ database: { pool } }) =>
    importCatalogue(pool, given, options, COMMAND_LINE),
  )
}

/** Reads the event types of a folder of JSON Schemas, or of one file. */
async function readSource(source: string): Promise<GivenType[]> {
  const isFolder = source !== '-' && (await stat(source)).isDirectory()
  if (!isFolder) return parseCatalogueFile(await readInput(source), path.basename(source))
  const files = (await readdir(source)).filter((file) => file.endsWith('.json')).toSorted()
  if (files.length === 0) {
    throw new Error(
      `The folder ${source} has no JSON Schemas. Add one for each event type, such as order.paid.json.`,
    )
  }
  const types: GivenType[] = []
  for (const file of files) {
    types.push(parseSchemaFile(await readFile(path.join(source, file)), file))
  }
  return types
}
