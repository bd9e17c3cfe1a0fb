import type { Command } from 'commander'
import { textOf } from '../../event-types/catalogue/text-of.ts'
import { ACCEPT_BROKEN_SELECTIONS } from '../installation/installation.ts'
import { withInstallation, withServerOptions } from '../installation/with-installation.ts'
import { readInput } from '../read-input.ts'
import { print, runCommand } from '../run-command.ts'
import type { ServerOptions } from '../server-access.ts'

interface CreateOptions extends ServerOptions {
  readonly description: string
  readonly group?: string
  readonly schema?: string
  readonly example?: string
  readonly searchKey?: string[]
  readonly acceptBrokenSelections?: boolean
  readonly json?: boolean
}

export function registerCreate(eventType: Command): void {
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
      'a file with a JSON Schema (2020-12) of at most 64 KiB for the data of events; - reads standard input (default: any JSON is valid)',
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
        const type = {
          name,
          description: options.description,
          group: options.group ?? null,
          searchKeys: options.searchKey ?? [],
          schemaText: await readJson(options.schema),
          exampleText: await readJson(options.example),
          acceptBrokenSelections: options.acceptBrokenSelections ?? false,
        }
        const { version } = await withInstallation(options, (one) => one.createEventType(type))
        print(options.json, { name, version }, `${name} is in the catalogue.`)
      })
    })
}

async function readJson(file: string | undefined): Promise<string | null> {
  return file === undefined ? null : textOf(await readInput(file), file).trim()
}
