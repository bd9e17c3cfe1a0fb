import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { createTestAuthority, type TestAuthority } from '../outbound/certificates.ts'
import { closeServer, listen } from './listen.ts'
import { until } from './until.ts'
import { useResource } from './use-resource.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly at: Date
}

/** A real HTTPS receiver on this machine, with a certificate of a test's authority. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  /** The certificate of the authority, as PEM. */
  readonly authority: string
  readonly received: readonly Received[]
  /** Responds to a request. Default: 200 with an empty body. */
  answer: (response: ServerResponse, request: Received) => void
  /** Empties `received`. */
  clear(): void
  /** Waits for the request with this number, counted from 1. */
  arrival(number: number): Promise<Received>
}

/** Issues the certificates of the receivers that the shared Posthorn of `useTestApp` trusts. */
export function sharedAuthority(): Promise<TestAuthority> {
  authority ??= createTestAuthority()
  return authority
}
let authority: Promise<TestAuthority> | undefined

/** A receiver for the tests of a file, which the shared Posthorn of `useTestApp` trusts. */
export async function useReceiver(): Promise<Receiver> {
  return await useResource(startReceiver(await sharedAuthority()))
}

/** Starts a receiver, by default with a certificate authority of its own. */
export async function startReceiver(given?: TestAuthority): Promise<Receiver> {
  const authority = given ?? (await createTestAuthority())
  const { key, cert } = await authority.issue(['localhost', '127.0.0.1'])
  const { receiver, handle } = createReceiver(authority.pem)
  const server = createServer({ key, cert }, handle)
  return Object.assign(receiver, closing(server), {
    url: `https://localhost:${await listen(server)}/`,
  })
}

/** The server of a developer: over HTTP, without a certificate. */
export async function startLocalReceiver(port = 0): Promise<Receiver> {
  const { receiver, handle } = createReceiver('')
  const server = createHttpServer(handle)
  return Object.assign(receiver, closing(server), {
    url: `http://127.0.0.1:${await listen(server, { port })}/`,
  })
}

const closing = (server: ReturnType<typeof createServer | typeof createHttpServer>) => ({
  [Symbol.asyncDispose]: () => closeServer(server),
})

function createReceiver(authority: string) {
  const received: Received[] = []
  const receiver: Omit<Receiver, 'url' | typeof Symbol.asyncDispose> = {
    authority,
    received,
    answer: (response) => response.end(),
    async arrival(number) {
      await until(() => received.length >= number, `request ${number} arrives`)
      return received[number - 1] as Received
    },
    clear() {
      received.length = 0
    },
  }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request).catch(() => null)
    // On a busy machine, an attempt can end during its body. It is repeated.
    if (body === null) return
    const { method = '', url: path = '', headers } = request
    const arrived = { method, path, headers, body, at: new Date() }
    received.push(arrived)
    receiver.answer(response, arrived)
  }
  return { receiver, handle }
}
