import type { Command } from 'commander'
import { invalid } from '../lib/errors.ts'
import { rejectLoneSurrogates } from '../lib/lone-surrogates.ts'
import { InvalidJson, MAX_JSON_NESTING, parseJson } from '../lib/parse-json.ts'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
import { ORGANIZATION_OPTION } from './installation/only-organization.ts'
import { withInstallation, withServerOptions } from './installation/with-installation.ts'
import { readInput } from './read-input.ts'
import { print, runCommand } from './run-command.ts'
import type { ServerOptions } from './server-access.ts'

interface PublishOptions extends ServerOptions {
  readonly organization?: string
  readonly previous?: string
  readonly idempotencyKey?: string
  readonly timestamp?: string
  readonly json?: boolean
}

/** `posthorn publish`: publishes one event, with the same rules as the GraphQL mutation. */
export function registerPublish(program: Command): void {
  withServerOptions(program.command('publish'), 'the scope events:publish')
    .summary('publish one event')
    .description(
      'Publishes one event and creates a delivery to every enabled webhook that subscribes to its type.',
    )
    .option('--organization <id>', `the organization of the event, ${ORGANIZATION_OPTION}`)
    .argument('<type>', 'the name of an event type, such as event_attendee.joined_event')
    .argument(
      '<json>',
      `the data of the event: any JSON value of at most 256 KiB, nested at most ${MAX_JSON_NESTING} levels deep, with numbers that JavaScript represents exactly; or - to read it from standard input. It is kept to the letter, without white space around it`,
    )
    .option(
      '--previous <json>',
      'what the data was before the change that the event reports: JSON that matches the schema of the type, kept to the letter. <json> and this have at most 256 KiB together',
    )
    .option(
      '--idempotency-key <key>',
      'publish only once: within 24 hours, the same key returns the first event',
    )
    .option('--timestamp <time>', 'when the event occurred, an RFC 3339 time (default: now)')
    .option('--json', 'print {"id":"evt_…","deliveries":1,"duplicate":false}')
    .addHelpText(
      'after',
      `
Example:
  $ posthorn publish event_attendee.joined_event '{"attendee":"Ada"}'`,
    )
    .action(async (type: string, json: string, options: PublishOptions) => {
      await runCommand(async () => {
        const dataText = json === '-' ? await readText() : withoutByteOrderMark(json)
        rejectLoneSurrogates({ data: parseText(dataText, '<json>') })
        const event = {
          type,
          dataText: dataText.trim(),
          ...readPrevious(options.previous),
          idempotencyKey: options.idempotencyKey ?? null,
          occurredAt: options.timestamp === undefined ? null : readTime(options.timestamp),
        }
        const { id, deliveryCount, duplicate } = await withInstallation(options, (one) =>
          one.publish(options.organization, event),
        )
        const deliveries = deliveryCount === 1 ? '1 delivery' : `${deliveryCount} deliveries`
        const text = duplicate ? `${id}  already published with this key` : `${id}  ${deliveries}`
        print(options.json, { id, deliveries: deliveryCount, duplicate }, text)
      })
    })
}

/** JSON null is no previous data. */
function readPrevious(given: string | undefined): { readonly previousText?: string } {
  if (given === undefined) return {}
  const previous = parseText(given, '--previous')
  rejectLoneSurrogates({ previous })
  return previous === null ? {} : { previousText: given.trim() }
}

function readTime(text: string): Date {
  const time = parseRfc3339(text)
  if (time) return time
  const detail = 'timestamp must be an RFC 3339 time, such as 2026-01-31T12:00:00Z.'
  throw invalid([{ path: ['timestamp'], code: 'invalid_time', detail }])
}

async function readText(): Promise<string> {
  const text = decodeUtf8(await readInput('-'))
  if (text !== null) return text
  const detail =
    '<json> is not UTF-8. Convert it, for example with `iconv --from-code ISO-8859-1 --to-code UTF-8`.'
  throw invalid([{ path: ['json'], code: 'malformed', detail }])
}

/** Editors and PowerShell write one at the start of a file. */
const withoutByteOrderMark = (text: string) => text.replace(/^\ufeff/, '')

function parseText(text: string, name: '<json>' | '--previous'): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    const { message } = error as Error
    const detail =
      error instanceof InvalidJson
        ? `${name} ${message}`
        : `${name} is not JSON: ${message}. ${REMEDIES[name]}`
    const path = name === '<json>' ? ['json'] : ['previous']
    throw invalid([{ path, code: 'malformed', detail }])
  }
}

const REMEDIES = {
  '<json>': 'Quote it for the shell, or use - to read it from standard input.',
  '--previous': 'Quote it for the shell.',
} as const
