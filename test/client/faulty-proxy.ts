import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * What a proxy does with a request. `lose-request`: closes the connection. `lose-answer`: passes the request on, waits
 * for the answer, and closes the connection. `cut-answer`: the same, after half of the answer. `hang`: passes
 * nothing on and never answers. `stall`: begins an answer of its own that never ends. An answer: answers itself.
 */
export type Fault =
  | 'lose-request'
  | 'lose-answer'
  | 'cut-answer'
  | 'hang'
  | 'stall'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxy>>

/** A real HTTP server in front of a Posthorn. */
export async function startFaultyProxy(upstream: string) {
  const requests: { atMs: number; body: string }[] = []
  const faults: Fault[] = []

  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    requests.push({ atMs: performance.now(), body: body.toString() })
    const fault = faults.shift()
    if (fault === 'hang') return
    if (fault === 'stall') return void response.writeHead(200, { 'content-length': 100 }).write('{')
    if (fault === 'lose-request') return request.socket.destroy()
    if (typeof fault === 'object') {
      return response.writeHead(fault.status, fault.headers).end(fault.body)
    }
    const { authorization = '' } = request.headers
    const headers = { authorization, 'content-type': 'application/json' }
    const passed = { method: 'POST', headers, body: new Uint8Array(body) }
    const answer = await fetch(upstream + request.url, passed).catch(() => null)
    if (answer === null || fault === 'lose-answer') return request.socket.destroy()
    const text = await answer.text()
    response.writeHead(answer.status, { 'content-length': Buffer.byteLength(text) })
    if (fault === 'cut-answer') await cut(response, text)
    else response.end(text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** What happens to the next requests. Those after them pass. */
    fail: (...next: readonly Fault[]) => void faults.push(...next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function cut(response: ServerResponse, text: string): Promise<void> {
  await new Promise((resolve) => response.write(text.slice(0, text.length / 2), resolve))
  response.destroy()
}
