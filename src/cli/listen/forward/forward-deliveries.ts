import type { GraphqlApi } from '../../graphql-api.ts'
import { explainFetchError, ServerError } from '../../send-request.ts'
import { log } from '../log.ts'
import type { stopRequest } from '../stop-request.ts'
import { createVerifier } from '../verifier.ts'
import { createForward } from './forward-delivery.ts'
import { type ForwardedRequest, receiveRequests, sendAnswer } from './forwarded-requests.ts'
import { readSecret, type TemporaryWebhook } from './temporary-webhook.ts'

interface Options {
  readonly url: URL
  /** The URL of Posthorn. */
  readonly server: string
  readonly stop: ReturnType<typeof stopRequest>
  /** Deliveries after which to stop. */
  readonly count?: number
  readonly json?: true
  readonly save?: string
}

/** Sends the deliveries of a temporary webhook to the local server until a stop request. */
export async function forwardDeliveries(
  api: GraphqlApi,
  { id, secret, deliveryHeaderPrefix, eventSubscriptions }: TemporaryWebhook,
  { server, stop, count = Number.POSITIVE_INFINITY, ...options }: Options,
): Promise<void> {
  const stopped = new AbortController()
  void stop.requested.then(() => stopped.abort())
  const forward = createForward({
    ...options,
    headerPrefix: deliveryHeaderPrefix,
    verifier: createVerifier([secret], deliveryHeaderPrefix, () => readSecret(api, id)),
    signal: stopped.signal,
  })
  let received = 0
  let finished = 0

  async function handle(request: ForwardedRequest): Promise<void> {
    const { headers, timeLimitMs } = request
    const body = Buffer.from(request.body, 'base64')
    await forward({ headers, body, timeLimitMs }, (answer) => sendAnswer(api, request, answer))
    if (++finished >= count) stop.now()
  }

  log(`Forwarding ${eventSubscriptions.join(', ')} to ${options.url.href} as ${id}.`)
  log(`The signing secret, as long as this command runs: WEBHOOK_SECRET=${secret}`)
  const handlers = {
    onRequest(request: ForwardedRequest) {
      if (++received <= count) void handle(request).catch((error) => log(error.message))
    },
    ...logConnection(server),
  }
  try {
    await receiveRequests(api, id, handlers, stopped.signal)
  } finally {
    // Requests to the local server would keep the process alive.
    stopped.abort()
  }
}

/** Says once that the connection broke, and that there is another. */
function logConnection(server: string) {
  let state: 'first' | 'open' | 'broken' = 'first'
  return {
    onConnected() {
      log(state === 'first' ? 'Ready. Press Ctrl+C to stop.' : 'Connected again.')
      state = 'open'
    },
    onDisconnected(error: Error) {
      if (state !== 'broken') {
        const { message } = error instanceof ServerError ? error : explainFetchError(server, error)
        log(`${message} Trying again.`)
      }
      state = 'broken'
    },
  }
}
