import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** Returns the status and the text of the response. The body is null if it is larger than 1 MiB. */
export type DeliveryHandler = (
  headers: IncomingHttpHeaders,
  body: Buffer | null,
) => Promise<readonly [status: number, text: string]>

const MAX_BODY_BYTES = 1_048_576
/** How long `close` waits for responses in progress. */
const CLOSE_GRACE_MS = 250

/** An HTTPS server on the loopback interface that passes each complete POST request to `handle`. */
export async function openHttpsReceiver(
  port: number,
  options: { readonly cert: string; readonly key: string },
  onWarning: (message: string) => void,
  handle: DeliveryHandler,
) {
  const server = createServer(options, (request, response) => {
    receive(handle, request, response).catch((error: Error) => {
      onWarning(`Handling a request failed: ${error.message}`)
      response.destroy()
    })
  })
  server.on('tlsClientError', (error) =>
    onWarning(`A client aborted the TLS handshake: ${error.message}`),
  )
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `Port ${port} is already in use. Give another one with --port; 0 selects a free one.`,
    )
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS).unref()
      await closed
    },
  }
}

async function receive(
  handle: DeliveryHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end('Deliveries are POST requests.\n')
    return
  }
  const [status, text] = await handle(request.headers, await readBody(request))
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}

/** Reads a body of any size to the end, because a sender that is still writing would miss the response. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return bytes <= MAX_BODY_BYTES ? Buffer.concat(chunks) : null
}
