import {
  challengeAnswer,
  type ReceivedHeaders,
  verify,
} from '../../../packages/receiver/src/index.ts'
import type { Config } from '../../config/config.ts'
import { type DeliveryHandler, openHttpsReceiver } from '../../http/https-receiver.ts'
import { LruMap } from '../../lib/lru-map.ts'
import { ensureLocalAuthority } from '../../run/embedded/local-authority.ts'
import { mutation, run, type ServerAccess, ServerError } from '../api.ts'
import { type ServerOptions, serverAccess } from '../server-command.ts'
import { createPrinter, MAX_IDS, type Verification } from './format-delivery.ts'
import { log, stopRequest } from './terminal.ts'

/** The parsed options of the command line, with defaults. */
export interface ListenOptions extends ServerOptions {
  readonly port: number
  readonly register?: true
  /** The local server that gets the deliveries. */
  readonly forward?: URL
  /** The public id of a stored delivery or event. */
  readonly replay?: string
  /** Whether the local server may have any certificate. */
  readonly insecure?: true
  /** A folder. */
  readonly save?: string
  readonly event?: readonly string[]
  readonly secret?: readonly string[]
  readonly fail: number
  readonly status: number
  readonly count?: number
}

/** The event types of a new installation. */
const DEFAULT_EVENT_TYPES = ['event_attendee.joined_event', 'event_attendee.ticket_success']

/** Receives deliveries until a stop request, then deletes the webhook and closes the server. */
export async function receiveDeliveries(options: ListenOptions, config: Config): Promise<void> {
  const access = options.register ? await serverAccess(options, config) : null
  const authority = await ensureLocalAuthority(config.dataDir)
  const certificate = await authority.issueServerCertificate()
  const receiver = await openHttpsReceiver({ port: options.port, certificate, onWarning: log })
  const stop = stopRequest()

  function receive(secrets: readonly string[]) {
    receiver.start(createHandler(options, config.headerPrefix, secrets, stop.now))
    return stop.requested
  }

  try {
    const url = `https://localhost:${receiver.port}/`
    log(
      `Listening on ${url} with a certificate of ${authority.certificateFile}. Press Ctrl+C to stop.`,
    )
    const secrets = options.secret ?? []
    if (access === null) {
      if (secrets.length === 0) {
        log('Deliveries are not verified. Give --register or --secret whsec_… to verify them.')
      }
      await receive(secrets)
      return
    }
    const events = options.event ?? DEFAULT_EVENT_TYPES
    await withWebhook(access, url, events, async (webhookId) => {
      const secret = await readSecret(access, webhookId)
      log(`Registered ${webhookId} for ${events.join(', ')}.`)
      await receive([secret, ...secrets])
    })
    log('Deleted the webhook.')
  } finally {
    await receiver.close()
  }
}

/** Verifies each delivery, responds according to the options, and then prints the delivery on stdout. */
function createHandler(
  options: ListenOptions,
  headerPrefix: string,
  secrets: readonly string[],
  onLast: () => void,
): DeliveryHandler {
  const print = createPrinter(headerPrefix, options.json)
  const { count: maxDeliveries = Number.POSITIVE_INFINITY } = options
  const accepted = new LruMap<string, true>({ maxEntries: MAX_IDS })
  let failuresLeft = options.fail
  let received = 0
  let printed = 0

  return async ({ headers, body, respond }) => {
    const receivedAt = new Date()
    if (++received > maxDeliveries) {
      respond(503, 'This receiver is stopping (--count).')
      return
    }
    const verification = await check(body, headers)
    const id = headers[`${headerPrefix}id`]?.toString() ?? ''
    const [status, text] = answerTo(id, verification, body)
    respond(status, text)
    print({ receivedAt, headers, verification, body, answered: status })
    if (++printed >= maxDeliveries) onLast()
  }

  /** With any of the secrets. */
  async function check(body: Buffer | null, headers: ReceivedHeaders): Promise<Verification> {
    if (body === null) return { kind: 'rejected', message: 'The body is larger than 1 MiB.' }
    if (secrets.length === 0) return { kind: 'unverified' }
    const result = await verify(body, headers, [...secrets], { headerPrefix })
    return result.ok ? { kind: 'verified' } : { kind: 'rejected', message: result.message }
  }

  /** A delivery that was accepted before gets 200 again, as in any receiver that deduplicates. */
  function answerTo(
    id: string,
    verification: Verification,
    body: Buffer | null,
  ): [status: number, text: string] {
    if (verification.kind === 'rejected') return [body ? 400 : 413, verification.message]
    if (accepted.get(id)) return [200, 'Accepted before.']
    if (failuresLeft > 0) {
      failuresLeft--
      return [500, 'Failing on purpose (--fail).']
    }
    const { status } = options
    if (status >= 300) return [status, 'Status set by --status.']
    if (id !== '') accepted.set(id, true)
    return [status, answerToChallenge(body) ?? 'Accepted.']
  }
}

/** What an endpoint has to answer before a webhook with `verifyEndpoint` uses its URL. Null for a delivery. */
function answerToChallenge(body: Buffer | null): string | null {
  try {
    const answer = challengeAnswer(JSON.parse(String(body)))
    return answer && JSON.stringify(answer)
  } catch {
    return null
  }
}

/** Registers a webhook, calls `use`, and deletes the webhook afterwards, even if `use` fails. */
async function withWebhook(
  access: ServerAccess,
  url: string,
  eventSubscriptions: readonly string[],
  use: (webhookId: string) => Promise<void>,
): Promise<void> {
  const input = { url, eventSubscriptions, enabled: true, description: 'posthorn listen' }
  type Created = { webhook: { id: string } }
  const { webhook } = await run<Created>(access, CREATE, { input }).catch(explainAddress)
  const { id } = webhook
  const failures: string[] = []
  await use(id).catch((error: Error) => failures.push(error.message))
  await run(access, DELETE, { id }).catch((error: Error) => {
    failures.push(`The webhook ${id} could not be deleted; delete it yourself: ${error.message}`)
  })
  if (failures.length > 0) throw new Error(failures.join(' '))
}

const CREATE = mutation(
  'createWebhook(input: $input)',
  '$input: CreateWebhookInput!',
  'webhook { id }',
)

/** A webhook that does not exist is deleted. */
const DELETE = 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }'

function explainAddress(error: Error): never {
  if (!(error instanceof ServerError && error.issues.includes('address_not_public'))) throw error
  throw new ServerError(`${error.message} ${LOCAL_ADDRESS}`)
}

/** The URL is that of a receiver on this machine. */
const LOCAL_ADDRESS =
  'This Posthorn sends only to public addresses. `posthorn listen --forward <url>` needs none: it pulls the events, and sends them to your own server. To let Posthorn connect to this receiver, start it with POSTHORN_EGRESS_ALLOW=127.0.0.0/8,::1/128 and POSTHORN_EGRESS_CA_FILE=<POSTHORN_DATA_DIR>/authority/ca.pem.'

/** The current signing secret of a webhook, `whsec_…`. */
async function readSecret(access: ServerAccess, webhookId: string): Promise<string> {
  type Read = { signingSecret: { key: string } | null } | null
  const query = 'query ($id: ID!) { webhook(id: $id) { signingSecret { key } } }'
  const webhook = await run<Read>(access, query, { id: webhookId })
  if (webhook?.signingSecret) return webhook.signingSecret.key
  throw new ServerError(`The webhook ${webhookId} was deleted, with its secret.`)
}
