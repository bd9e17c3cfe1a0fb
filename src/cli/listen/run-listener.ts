import type { Config } from '../../config/config.ts'
import { ensureLocalAuthority } from '../../embedded/local-authority.ts'
import { verify } from '../../receiver/index.ts'
import { createDeliveryHandler } from './delivery-handler.ts'
import { escapeControls } from './escape-controls.ts'
import { openHttpsReceiver } from './https-receiver.ts'
import type { ListenOptions } from './listen-options.ts'
import { openOwnApi } from './own-api.ts'
import { shownPath } from './shown-path.ts'
import { stopRequest } from './stop-request.ts'
import { createVerifier, type Verifier } from './verifier.ts'
import { withWebhook } from './with-webhook.ts'

/** The types that a fresh installation has. */
const FIRST_EVENT_TYPES = ['event_attendee.joined_event', 'event_attendee.ticket_success']

/** Receives until it is asked to stop; then nothing of it remains. */
export async function runListener(options: ListenOptions, config: Config): Promise<void> {
  await checkOptions(options)
  const api = options.register ? await openOwnApi(options, config) : null
  const authority = await ensureLocalAuthority(config.dataDir)
  const certificate = await authority.issueServerCertificate(['localhost', '127.0.0.1', '::1'])
  const receiver = await openHttpsReceiver({ port: options.port, ...certificate, onTrouble: note })
  const stop = stopRequest()
  const { headerPrefix } = config

  function receive(verifier: Verifier): Promise<void> {
    receiver.start(createDeliveryHandler({ options, headerPrefix, verifier, onLast: stop.now }))
    return stop.requested
  }

  try {
    const url = `https://localhost:${receiver.port}/`
    note(`Listening on ${url}, certified by ${shownPath(authority.certificateFile)}. Ctrl+C stops.`)
    const secrets = options.secret ?? []
    if (api === null) {
      if (secrets.length === 0) note('Nothing is verified: give --register or --secret whsec_….')
      await receive(createVerifier(secrets, headerPrefix))
      return
    }
    const events = options.event ?? FIRST_EVENT_TYPES
    const webhook = { url, event_subscriptions: events, enabled: true, description: DESCRIPTION }
    await withWebhook(api, webhook, async (webhookId) => {
      const readSecret = () => api.readSecret(webhookId)
      const known = [await readSecret(), ...secrets]
      note(`Registered ${webhookId} for ${events.join(', ')}.`)
      await receive(createVerifier(known, headerPrefix, readSecret))
    })
    note('Removed the webhook.')
  } finally {
    await receiver.close()
    stop.dispose()
  }
}

const DESCRIPTION = 'posthorn listen'

async function checkOptions(options: ListenOptions): Promise<void> {
  const pointless = (['event', 'server', 'key'] as const).find((name) => options[name])
  if (pointless && !options.register)
    throw new Error(`--${pointless} is of use with --register only.`)
  // A malformed secret is refused here, in words that do not repeat it.
  if (options.secret) await verify('', {}, options.secret)
}

/** On stderr, so that stdout carries deliveries only. */
function note(message: string): void {
  process.stderr.write(`${escapeControls(message)}\n`)
}
