import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { until } from '../../support/until.ts'

export interface LocalRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The server that a developer writes. */
export interface LocalServer extends AsyncDisposable {
  /** `http://127.0.0.1:…/hooks?from=posthorn` */
  readonly url: string
  readonly requests: readonly LocalRequest[]
  /** Default: 204. */
  respond: (response: ServerResponse, request: LocalRequest) => unknown
  /** Resolves to the nth request, counted from 1, once it has arrived. */
  request(number: number): Promise<LocalRequest>
}

export async function startLocalServer(port = 0): Promise<LocalServer> {
  const requests: LocalRequest[] = []
  const server = createServer(async (incoming, response) => {
    const request = {
      path: incoming.url ?? '',
      headers: incoming.headers as Record<string, string>,
      body: await buffer(incoming),
    }
    requests.push(request)
    await local.respond(response, request)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const local: LocalServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?from=posthorn`,
    requests,
    respond: (response) => response.writeHead(204).end(),
    async request(number) {
      await until(() => requests.length >= number, `request ${number} arrives at the local server`)
      return requests[number - 1] as LocalRequest
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return local
}
