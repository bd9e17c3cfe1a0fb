import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A server on the loopback interface that hands on each POST once it has arrived completely. */
export interface HttpsReceiver {
  readonly port: number
  /** From now on deliveries are handled; those that came before have waited. */
  start(handler: DeliveryHandler): void
  close(): Promise<void>
}

export type DeliveryHandler = (request: DeliveryRequest) => Promise<void>

export interface DeliveryRequest {
  readonly headers: IncomingHttpHeaders
  /** `null` if it is larger than 1 MiB. */
  readonly body: Buffer | null
  /** Answers after a delay. `false` if the sender had gone by then. */
  respond(status: number, text: string, delayMs?: number): Promise<boolean>
}

const MAX_BODY_BYTES = 1_048_576
/** How long answers on their way may take once the receiver closes. */
const CLOSE_GRACE_MS = 250

export async function openHttpsReceiver(options: {
  readonly port: number
  readonly certPem: string
  readonly keyPem: string
  readonly onTrouble: (message: string) => void
}): Promise<HttpsReceiver> {
  let start: HttpsReceiver['start'] = () => {}
  const started = new Promise<DeliveryHandler>((resolve) => {
    start = resolve
  })
  const server = createServer({ cert: options.certPem, key: options.keyPem })
  server.on('tlsClientError', (error) => {
    options.onTrouble(`A client gave up on the TLS handshake: ${error.message}`)
  })
  server.on('request', (request, response) => {
    handle(started, request, response).catch((error: Error) => {
      options.onTrouble(`A request was not handled: ${error.message}`)
      response.destroy()
    })
  })

  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `Port ${options.port} is taken. Give another one with --port; 0 is any free one.`,
    )
  })
  return {
    port: (server.address() as AddressInfo).port,
    start,
    async close() {
      const closed = once(server, 'close')
      server.close()
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS)
      await closed
      clearTimeout(timer)
    },
  }
}

async function handle(
  started: Promise<DeliveryHandler>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end('Deliveries are POST requests.\n')
    return
  }
  const body = await readBody(request)
  const handler = await started
  await handler({ headers: request.headers, body, respond: respondWith(response) })
}

/** Reads to the end, whatever the size: a sender that is still writing would not see the answer. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : null
}

function respondWith(response: ServerResponse): DeliveryRequest['respond'] {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return async (status, text, delayMs = 0) => {
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: gone.signal }).catch(() => {})
    if (response.destroyed || gone.signal.aborted) return false
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
    await once(response, 'close')
    return response.writableFinished
  }
}
