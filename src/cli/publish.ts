import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { decodeUtf8, MAX_JSON_NESTING } from '../lib/parse-json.ts'
import { mutation, run, type ServerAccess, ServerError } from './api.ts'
import { readInput } from './command.ts'
import { call, type ServerOptions, withOrganization } from './server-command.ts'

interface PublishOptions extends ServerOptions {
  readonly previous?: string
  readonly idempotencyKey?: string
  readonly timestamp?: string
}

/** `posthorn publish`: publishes one event, with the same rules as the GraphQL mutation. */
export function registerPublish(program: Command): void {
  withOrganization(program.command('publish'), 'the scope events:publish')
    .description(
      'Publishes one event and creates a delivery to every enabled webhook that subscribes to its type.',
    )
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
    .action(
      call(async (access, type: string, json: string, options: PublishOptions) => {
        const text = json === '-' ? await readText() : json
        // The key makes it safe to publish again when it is unknown whether the server did.
        const idempotencyKey = options.idempotencyKey ?? `posthorn-publish-${randomUUID()}`
        const input = {
          type,
          // Editors and PowerShell write a byte order mark at the start of a file.
          dataText: text.replace(/^\ufeff/, ''),
          previousText: options.previous,
          idempotencyKey,
          timestamp: options.timestamp,
        }
        type Published = { id: string; deliveryCount: number; duplicate: boolean }
        const { publishedEvent } = await run<{ publishedEvent: Published }>(access, PUBLISH, {
          input,
        }).catch((error) => {
          throw explain(error, idempotencyKey)
        })
        const { id, deliveryCount: count, duplicate } = publishedEvent
        if (count === 0 && !duplicate && !options.json) await explainNobody(access, id, type)
        const deliveries = duplicate
          ? 'already published with this key'
          : `${count} ${count === 1 ? 'delivery' : 'deliveries'}`
        return [{ id, deliveries: count, duplicate }, `${id}  ${deliveries}`]
      }),
    )
}

const PUBLISH = mutation(
  'publishEvent(input: $input)',
  '$input: PublishEventInput!',
  'publishedEvent { id deliveryCount duplicate }',
)

/** Says which webhooks subscribe, and why they got nothing, if the key may read webhooks and deliveries. */
async function explainNobody(access: ServerAccess, id: string, type: string): Promise<void> {
  type Event = { notDelivered: { webhookId: string; message: string }[] }
  const event = await run<Event | null>(access, NOT_DELIVERED, { id }).catch(() => null)
  const lines = event?.notDelivered.map(({ webhookId, message }) => `  ${webhookId}  ${message}`)
  if (!lines) return
  process.stderr.write(`${lines.join('\n') || `  No webhook subscribes to ${type}.`}\n`)
}

const NOT_DELIVERED = `query ($id: ID!) {
  event(id: $id) { notDelivered { webhookId message } }
}`

function explain(error: unknown, idempotencyKey: string): unknown {
  if (!(error instanceof ServerError)) return error
  const remedy = error.mayHaveActed
    ? `The event may be published all the same. To publish it at most once, run the command again with --idempotency-key ${idempotencyKey}`
    : 'Quote it for the shell, or use - to read the data from standard input.'
  if (!error.mayHaveActed && !error.issues.includes('malformed')) return error
  return new ServerError(`${error.message} ${remedy}`)
}

async function readText(): Promise<string> {
  const text = decodeUtf8(await readInput('-'))
  if (text === '') throw new Error('Standard input is empty.')
  if (text !== null) return text
  throw new Error(
    '<json> is not UTF-8. Convert it, for example with `iconv --from-code ISO-8859-1 --to-code UTF-8`.',
  )
}
