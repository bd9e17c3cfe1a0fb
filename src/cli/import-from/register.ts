import { type Command, Option } from 'commander'
import type { Body } from '../../moving-in/former-sender.ts'
import type { OutpostRules } from '../../moving-in/parse-outpost.ts'
import { runCommand } from '../run-command.ts'
import { readOutpost } from './read-outpost.ts'
import { readSvix, urlOfSvix } from './read-svix.ts'
import { type ImportOptions, runImport } from './run-import.ts'
import { readSource, type SourceOptions, withSourceOptions } from './source.ts'

interface Options extends SourceOptions, ImportOptions {
  readonly body: Body
}

interface SvixOptions extends Options {
  readonly application: readonly string[]
  readonly headerNames: 'svix' | 'posthorn'
}

interface OutpostOptions extends Options {
  readonly tenant: readonly string[]
  readonly mode: OutpostRules['mode']
  readonly headerPrefix: string
  readonly content: string
  readonly value: string
}

/** `posthorn import-from svix` and `outpost`. */
export function registerImportFrom(program: Command): void {
  const command = program
    .command('import-from')
    .summary('take over the webhooks of another sender')
    .description(
      'Takes over organizations and webhooks from another sender. What exists already, by its uid, stays as it is: run the command again after an interruption, or until the day of the change.',
    )
  registerSvix(command)
  registerOutpost(command)
}

function registerSvix(command: Command): void {
  withImportOptions(withSourceOptions(command.command('svix'), 'that of the region of the token'))
    .summary('take over applications and endpoints of Svix')
    .description(
      'Makes an organization of each application of Svix, and a webhook of each endpoint, with its signing secret, subscriptions, headers and metadata. The webhooks are disabled, because Svix still sends. Receivers go on verifying with the library of Svix.',
    )
    .option(
      '--application <id>',
      'only this application, by id or uid; repeat it for more',
      add,
      [],
    )
    .addOption(
      new Option('--header-names <names>', 'the names of the three headers of each delivery')
        .choices(['svix', 'posthorn'])
        .default('svix'),
    )
    .action(async (file: string | undefined, options: SvixOptions) => {
      await runCommand(async () => {
        const { parseSvixApplication } = await import('../../moving-in/parse-svix.ts')
        const { body, headerNames, application } = options
        const records = readSource(file, options, {
          list: 'applications',
          defaultUrl: urlOfSvix,
          read: (api) => readSvix(api, application),
        })
        const rules = { body, keepsHeaderNames: headerNames === 'svix' }
        await runImport(records, (record) => parseSvixApplication(record, rules), options)
      })
    })
}

function registerOutpost(command: Command): void {
  withImportOptions(withSourceOptions(command.command('outpost'), 'http://localhost:3333/api/v1'))
    .summary('take over tenants and destinations of Outpost')
    .description(
      'Makes an organization of each tenant of Outpost, and a webhook of each destination of the type webhook, with its secret, topics, headers and metadata. The webhooks are disabled, because Outpost still sends. The options describe how your Outpost signs.',
    )
    .option('--tenant <id>', 'only this tenant; repeat it for more', add, [])
    .addOption(
      new Option('--mode <mode>', 'DESTINATIONS_WEBHOOK_MODE of your Outpost')
        .choices(['default', 'standard'])
        .default('default'),
    )
    .option('--header-prefix <prefix>', 'DESTINATIONS_WEBHOOK_HEADER_PREFIX', 'x-outpost-')
    .option('--content <template>', 'what is signed, of {id}, {timestamp} and {body}', '{body}')
    .option('--value <template>', 'the value of the signature header', 'v0={signature}')
    .action(async (file: string | undefined, options: OutpostOptions) => {
      await runCommand(async () => {
        const { parseOutpostTenant } = await import('../../moving-in/parse-outpost.ts')
        const { body, mode, headerPrefix, content, value, tenant } = options
        const records = readSource(file, options, {
          list: 'tenants',
          defaultUrl: () => 'http://localhost:3333/api/v1',
          read: (api) => readOutpost(api, tenant),
        })
        const signing = { body, mode, headerPrefix, content, value }
        const parse = (record: unknown, prefix: string) =>
          parseOutpostTenant(record, { ...signing, ownSignatureHeader: `${prefix}signature` })
        await runImport(records, parse, options)
      })
    })
}

function withImportOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--body <body>', "what deliveries contain: the event's data, or the whole event")
        .choices(['data', 'event'])
        .default('data'),
    )
    .option('--create-event-types', 'also create the event types that the catalogue lacks')
    .option('--enable', 'enable the webhooks that were enabled and lack nothing')
    .option('--dry-run', 'check everything, and write nothing')
    .option('--json', 'print a line {"kind":"webhook","name":"…","outcome":"created",…} for each')
}

function add(name: string, before: readonly string[]): readonly string[] {
  return [...before, name]
}
