import { randomBytes } from 'node:crypto'
import { USER_AGENT } from '../../../lib/version.ts'
import { sign } from '../../../receiver/index.ts'
import { run, type ServerAccess } from '../../api.ts'
import type { ListenOptions } from '../listen-options.ts'
import { log } from '../log.ts'
import type { StopRequest } from '../stop-request.ts'
import { createVerifier } from '../verifier.ts'
import { createForward, type ForwardOptions } from './forward-delivery.ts'
import { createConsumer } from './pull.ts'
import type { LocalAnswer } from './send-local.ts'

/** What deliveries send of an event, character for character. */
const BODY = 'query ($id: ID!) { event(id: $id) { body } }'

const WAIT_SECONDS = 20

/**
 * Pulls the events of the organization from now on, and sends each to the local server, signed, until a stop request. An
 * event that the local server refuses is not sent again.
 */
export async function forwardEvents(
  access: ServerAccess,
  headerPrefix: string,
  options: ListenOptions & { readonly forward: URL },
  stop: StopRequest,
): Promise<void> {
  const { forward: url, event: types = [], count = Number.POSITIVE_INFINITY } = options
  const secret = options.secret?.[0] ?? newSecret()
  const stopped = new AbortController()
  void stop.requested.then(() => stopped.abort())
  const { signal } = stopped
  const name = `listen-${randomBytes(6).toString('hex')}`
  const consumer = createConsumer(access, name, types, signal)
  const send = createSendEvent(access, { ...options, url, headerPrefix, secret, signal })

  let sent = 0
  try {
    await consumer.pull(0)
    log(`Forwarding ${types.join(', ') || 'all event types'} to ${url.href} as ${name}.`)
    if (!options.secret) log(`The signing secret of this run: WEBHOOK_SECRET=${secret}`)
    log('Ready. Press Ctrl+C to stop.')
    while (!signal.aborted) {
      const { lease, events } = await consumer.pull(WAIT_SECONDS)
      for (const { id } of events) {
        if (signal.aborted) break
        await send(id)
        if (++sent >= count) stop.now()
      }
      if (lease !== null) await consumer.acknowledge(lease)
    }
  } finally {
    // Requests to the local server would keep the process alive.
    stopped.abort()
    await consumer.delete().catch((error: Error) => {
      log(`The consumer ${name} could not be deleted: ${error.message}`)
    })
  }
}

interface SendOptions extends Omit<ForwardOptions, 'verifier'> {
  readonly secret: string
}

/** Sends the delivery of an event to the local server. Returns null for an event whose data is gone. */
export function createSendEvent(access: ServerAccess, { secret, ...options }: SendOptions) {
  const { headerPrefix } = options
  const send = createForward({ ...options, verifier: createVerifier([secret], headerPrefix) })
  return async (id: string): Promise<LocalAnswer | null> => {
    const event = await run<{ body: string | null } | null>(access, BODY, { id })
    if (!event?.body) return null
    const body = Buffer.from(event.body)
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signature = await sign(secret, id, timestamp, body)
    return await send({
      headers: [
        { name: 'user-agent', value: USER_AGENT },
        { name: 'content-type', value: 'application/json' },
        { name: `${headerPrefix}id`, value: id },
        { name: `${headerPrefix}timestamp`, value: timestamp },
        { name: `${headerPrefix}signature`, value: signature },
      ],
      body,
    })
  }
}

/** A secret of its own for each run. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`
