import type { Config } from '../../config/config.ts'
import { ensureLocalAuthority } from '../../embedded/local-authority.ts'
import { openHttpsReceiver } from '../../http/https-receiver.ts'
import { createApiFromOptions } from './api-from-options.ts'
import { createDeliveryHandler } from './delivery-handler.ts'
import { displayPath } from './display-path.ts'
import type { ListenOptions } from './listen-options.ts'
import { log } from './log.ts'
import { stopRequest } from './stop-request.ts'
import { createVerifier, type Verifier } from './verifier.ts'
import { withWebhook } from './with-webhook.ts'

/** The event types of a new installation. */
const DEFAULT_EVENT_TYPES = ['event_attendee.joined_event', 'event_attendee.ticket_success']

/** Receives deliveries until a stop request, then deletes the webhook and closes the server. */
export async function runListener(options: ListenOptions, config: Config): Promise<void> {
  const api = options.register ? await createApiFromOptions(options, config) : null
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
    if (api === null) {
      if (secrets.length === 0) {
        log('Deliveries are not verified. Give --register or --secret whsec_… to verify them.')
      }
      await receive(createVerifier(secrets, headerPrefix))
      return
    }
    const events = options.event ?? DEFAULT_EVENT_TYPES
    const webhook = { url, event_subscriptions: events, enabled: true, description: DESCRIPTION }
    await withWebhook(api, webhook, async (webhookId) => {
      const readSecret = () => api.readSecret(webhookId)
      const allSecrets = [await readSecret(), ...secrets]
      log(`Registered ${webhookId} for ${events.join(', ')}.`)
      await receive(createVerifier(allSecrets, headerPrefix, readSecret))
    })
    log('Deleted the webhook.')
  } finally {
    await receiver.close()
    stop.dispose()
  }
}

const DESCRIPTION = 'posthorn listen'
