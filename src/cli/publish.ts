import type { Command } from 'commander'
import { type Client, PosthornError } from '../../packages/client/src/index.ts'
import { decodeUtf8, MAX_JSON_NESTING } from '../lib/parse-json.ts'
import { run } from './api.ts'
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
      call(async (client, type: string, json: string, options: PublishOptions) => {
        const text = json === '-' ? await readText() : json
        const event = {
          // Editors and PowerShell write a byte order mark at the start of a file.
          dataText: text.replace(/^\ufeff/, ''),
          previousText: options.previous,
          idempotencyKey: options.idempotencyKey,
          timestamp: options.timestamp,
        }
        const published = await client.publish(type, undefined, event).catch(explain)
        const { id, deliveryCount: count, duplicate } = published
        if (count === 0 && !duplicate && !options.json) await explainNobody(client, id, type)
        const deliveries = duplicate
          ? 'already published with this key'
          : `${count} ${count === 1 ? 'delivery' : 'deliveries'}`
        return [{ id, deliveries: count, duplicate }, `${id}  ${deliveries}`]
      }),
    )
}

/** Says which webhooks subscribe, and why they got nothing, if the key may read webhooks and deliveries. */
async function explainNobody(client: Client, id: string, type: string): Promise<void> {
  type Event = { notDelivered: { webhookId: string; message: string }[] }
  const event = await run<Event | null>(client, NOT_DELIVERED, { id }).catch(() => null)
  const lines = event?.notDelivered.map(({ webhookId, message }) => `  ${webhookId}  ${message}`)
  if (!lines) return
  process.stderr.write(`${lines.join('\n') || `  No webhook subscribes to ${type}.`}\n`)
}

const NOT_DELIVERED = `query ($id: ID!) {
  event(id: $id) { notDelivered { webhookId message } }
}`

function explain(error: unknown): never {
  if (!(error instanceof PosthornError)) throw error
  const { code, message, issues, idempotencyKeys, mayHaveActed } = error
  if (mayHaveActed) {
    const option = `--idempotency-key ${idempotencyKeys[0]}`
    throw new PosthornError(code, `${message} For that, add ${option} to the command.`)
  }
  if (!issues.some((issue) => issue.code === 'malformed')) throw error
  const remedy = 'Quote it for the shell, or use - to read the data from standard input.'
  throw new PosthornError(code, `${message} ${remedy}`)
}

async function readText(): Promise<string> {
  const text = decodeUtf8(await readInput('-'))
  if (text === '') throw new Error('Standard input is empty.')
  if (text !== null) return text
  throw new Error(
    '<json> is not UTF-8. Convert it, for example with `iconv --from-code ISO-8859-1 --to-code UTF-8`.',
  )
}
