import { type Client, createClient, PosthornError } from '../../../packages/client/src/index.ts'
import {
  challengeAnswer,
  type ReceivedHeaders,
  verify,
} from '../../../packages/receiver/src/index.ts'
import { formatSecret, generateSigningKey } from '../../../packages/receiver/src/sign.ts'
import type { Config } from '../../config/config.ts'
import { type DeliveryHandler, openHttpsReceiver } from '../../http/https-receiver.ts'
import { LruMap } from '../../lib/lru-map.ts'
import { ensureLocalAuthority } from '../../run/embedded/local-authority.ts'
import { mutation, run } from '../api.ts'
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

/** Receives deliveries until a stop request, then deletes the webhook and closes the server. */
export async function receiveDeliveries(options: ListenOptions, config: Config): Promise<void> {
  const { register, port, secret: given = [], event: events = ['*'] } = options
  const client = register ? createClient(await serverAccess(options, config)) : null
  const authority = await ensureLocalAuthority(config.dataDir)
  const secret = formatSecret(generateSigningKey())
  const secrets = client === null ? given : [secret, ...given]
  const stop = stopRequest()
  const handle = createHandler(options, config.headerPrefix, secrets, stop.now)
  const { certPem: cert, keyPem: key } = await authority.issueServerCertificate()
  const receiver = await openHttpsReceiver(port, { cert, key }, log, handle)
  try {
    const url = `https://localhost:${receiver.port}/`
    log(
      `Listening on ${url} with a certificate of ${authority.certificateFile}. Press Ctrl+C to stop.`,
    )
    if (client === null) {
      if (secrets.length === 0) {
        log('Deliveries are not verified. Give --register or --secret whsec_… to verify them.')
      }
      await stop.requested
      return
    }
    const named = { description: 'posthorn listen', eventSubscriptions: events }
    const input = { ...named, url, secret, enabled: true }
    type Created = { webhook: { id: string } }
    const { webhook } = await run<Created>(client, CREATE, { input }).catch(explainAddress)
    log(`Registered ${webhook.id} for ${events.join(', ')}.`)
    await stop.requested
    await deleteWebhook(client, webhook.id)
  } finally {
    await receiver.close()
  }
}

/** Verifies each delivery, prints the delivery on stdout, and responds according to the options. */
function createHandler(
  options: ListenOptions,
  headerPrefix: string,
  secrets: readonly string[],
  onLast: () => void,
): DeliveryHandler {
  const print = createPrinter(headerPrefix, options.json)
  const { count: max = Number.POSITIVE_INFINITY } = options
  const accepted = new LruMap<string, true>({ maxEntries: MAX_IDS })
  let failuresLeft = options.fail
  let printed = 0

  return async (headers, body) => {
    const time = new Date()
    const verification = await check(body, headers)
    const id = headers[`${headerPrefix}id`]?.toString() ?? ''
    const answer = answerTo(id, verification, body)
    printed++
    if (printed <= max) print({ time, headers, ...verification, body, answered: answer[0] })
    if (printed === max) onLast()
    return answer
  }

  /** With any of the secrets. */
  async function check(body: Buffer | null, headers: ReceivedHeaders): Promise<Verification> {
    if (body === null) return { verified: false, reason: 'The body is larger than 1 MiB.' }
    if (secrets.length === 0) return { verified: null, reason: null }
    const result = await verify(body, headers, [...secrets], { headerPrefix })
    return { verified: result.ok, reason: result.ok ? null : result.message }
  }

  /** A delivery that was accepted before gets 200 again, as in any receiver that deduplicates. */
  function answerTo(
    id: string,
    { reason }: Verification,
    body: Buffer | null,
  ): [status: number, text: string] {
    if (reason !== null) return [body ? 400 : 413, reason]
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

async function deleteWebhook(client: Client, id: string): Promise<void> {
  try {
    await run(client, DELETE, { id })
    log('Deleted the webhook.')
  } catch (error) {
    process.exitCode = 1
    const { message } = error as Error
    log(`The webhook ${id} could not be deleted; delete it yourself: ${message}`)
  }
}

const CREATE = mutation(
  'createWebhook(input: $input)',
  '$input: CreateWebhookInput!',
  'webhook { id }',
)

/** A webhook that does not exist is deleted. */
const DELETE = 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }'

function explainAddress(error: Error): never {
  const issues = error instanceof PosthornError ? error.issues : []
  if (!issues.some(({ code }) => code === 'address_not_public')) throw error
  throw new Error(`${error.message} ${LOCAL_ADDRESS}`)
}

/** The URL is that of a receiver on this machine. */
const LOCAL_ADDRESS =
  'This Posthorn sends only to public addresses. `posthorn listen --forward <url>` needs none: it pulls the events, and sends them to your own server. To let Posthorn connect to this receiver, start it with POSTHORN_EGRESS_ALLOW=127.0.0.0/8,::1/128 and POSTHORN_EGRESS_CA_FILE=<POSTHORN_DATA_DIR>/authority/ca.pem.'
