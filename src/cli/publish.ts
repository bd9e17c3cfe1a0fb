import type { Command } from 'commander'
import { invalid } from '../lib/errors.ts'
import { rejectLoneSurrogates } from '../lib/lone-surrogates.ts'
import { InvalidJson, MAX_JSON_NESTING, parseJson } from '../lib/parse-json.ts'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import { readInput } from './read-input.ts'
import { print, runCommand, withServices } from './run-command.ts'
import { ORGANIZATION_OPTION, selectOrganization } from './select-organization.ts'

interface PublishOptions {
  readonly organization?: string
  readonly idempotencyKey?: string
  readonly timestamp?: string
  readonly json?: boolean
}

/** `posthorn publish`: publishes one event, with the same rules as the GraphQL mutation. */
export function registerPublish(program: Command): void {
  program
    .command('publish')
    .summary('publish one event')
    .description(
      'Publishes one event and creates a delivery to every enabled webhook that subscribes to its type.',
    )
    .option('--organization <id>', `the organization of the event, ${ORGANIZATION_OPTION}`)
    .argument('<type>', 'the name of an event type, such as event_attendee.joined_event')
    .argument(
      '<json>',
      `the data of the event: any JSON value of at most 256 KiB, nested at most ${MAX_JSON_NESTING} levels deep, with numbers that JavaScript represents exactly; or - to read it from standard input`,
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
        const data = parseData(json === '-' ? (await readInput('-')).toString() : json)
        rejectLoneSurrogates({ data })
        await withServices(async ({ database, publishEvents }) => {
          const organization = await selectOrganization(database.prisma, options.organization)
          const [event] = await publishEvents(organization.id, [
            {
              type,
              data,
              idempotencyKey: options.idempotencyKey ?? null,
              occurredAt: options.timestamp === undefined ? null : readTime(options.timestamp),
            },
          ])
          if (!event) return
          const { id, deliveryCount, duplicate } = event
          const deliveries = deliveryCount === 1 ? '1 delivery' : `${deliveryCount} deliveries`
          const text = duplicate ? `${id}  already published with this key` : `${id}  ${deliveries}`
          print(options.json, { id, deliveries: deliveryCount, duplicate }, text)
        })
      })
    })
}

/** The rules of events refuse an invalid time. */
function readTime(text: string): Date {
  return parseRfc3339(text) ?? new Date(Number.NaN)
}

function parseData(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    const { message } = error as Error
    const detail =
      error instanceof InvalidJson
        ? `<json> ${message}`
        : `<json> is not JSON: ${message}. Quote it for the shell, or use - to read it from standard input.`
    throw invalid([{ path: ['json'], code: 'malformed', detail }])
  }
}
