import path from 'node:path'
import type { Config } from '../../config/config.ts'
import { ensureLocalAuthority } from '../../embedded/local-authority.ts'
import { openHttpsReceiver } from '../../http/https-receiver.ts'
import { run, type ServerAccess, ServerError } from '../api.ts'
import { serverAccess } from '../server-access.ts'
import { createDeliveryHandler } from './delivery-handler.ts'
import type { ListenOptions } from './listen-options.ts'
import { log } from './log.ts'
import { stopRequest } from './stop-request.ts'
import { createVerifier, readSecret, type Verifier } from './verifier.ts'

/** The event types of a new installation. */
const DEFAULT_EVENT_TYPES = ['event_attendee.joined_event', 'event_attendee.ticket_success']

/** Receives deliveries until a stop request, then deletes the webhook and closes the server. */
export async function runListener(options: ListenOptions, config: Config): Promise<void> {
  const access = options.register ? await serverAccess(options, config) : null
  const authority = await ensureLocalAuthority(config.dataDir)
  const certificate = await authority.issueServerCertificate(['localhost', '127.0.0.1', '::1'])
  const receiver = await openHttpsReceiver({
    port: options.port,
    certificate,
    onWarning: log,
  })
  const stop = stopRequest()
  const { headerPrefix } = config

  function receive(verifier: Verifier): Promise<void> {
    receiver.start(createDeliveryHandler({ options, headerPrefix, verifier, onLast: stop.now }))
    return stop.requested
  }

  try {
    const url = `https://localhost:${receiver.port}/`
    const authorityFile = displayPath(authority.certificateFile)
    log(`Listening on ${url} with a certificate of ${authorityFile}. Press Ctrl+C to stop.`)
    const secrets = options.secret ?? []
    if (access === null) {
      if (secrets.length === 0) {
        log('Deliveries are not verified. Give --register or --secret whsec_… to verify them.')
      }
      await receive(createVerifier(secrets, headerPrefix))
      return
    }
    const events = options.event ?? DEFAULT_EVENT_TYPES
    await withWebhook(access, url, events, async (webhookId) => {
      const readCurrent = () => readSecret(access, webhookId)
      const allSecrets = [await readCurrent(), ...secrets]
      log(`Registered ${webhookId} for ${events.join(', ')}.`)
      await receive(createVerifier(allSecrets, headerPrefix, readCurrent))
    })
    log('Deleted the webhook.')
  } finally {
    await receiver.close()
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

const CREATE = `mutation ($input: CreateWebhookInput!) {
  createWebhook(input: $input) {
    ... on CreateWebhookSuccess { webhook { id } }
    ... on ValidationError { issues { code } }
    ... on UserError { code message }
  }
}`

/** A webhook that does not exist is deleted. */
const DELETE = 'mutation ($id: ID!) { deleteWebhook(id: $id) { __typename } }'

function explainAddress(error: Error): never {
  if (!(error instanceof ServerError && error.issues.includes('address_not_public'))) throw error
  throw new ServerError(`${error.message} ${LOCAL_ADDRESS}`)
}

/** The URL is that of a receiver on this machine. */
const LOCAL_ADDRESS =
  'This Posthorn sends only to public addresses. `posthorn listen --forward <url>` needs none: it pulls the events, and sends them to your own server. To let Posthorn connect to this receiver, start it with POSTHORN_EGRESS_ALLOW=127.0.0.0/8,::1/128 and POSTHORN_EGRESS_CA_FILE=<POSTHORN_DATA_DIR>/authority/ca.pem.'

/** A path for messages: relative to the working directory if the file is inside it. */
function displayPath(file: string): string {
  const relative = path.relative(process.cwd(), file)
  return relative.startsWith('..') ? file : relative
}
