import { createServer, type TLSSocket } from 'node:tls'
import { createTestAuthority } from '../outbound/certificates.ts'
import { listen } from '../support/listen.ts'
import { monotonicMs } from './figures.ts'
import { messageEnd } from './http-client.ts'
import { serveParent } from './script-process.ts'

/**
 * The receiver of the benchmark. It shares the CPU with the measured processes, so it implements only the part of
 * HTTP/1.1 that undici uses. The path selects the response: `/ok` and `/stamp` respond immediately, `/fail` with 500,
 * `/slow50` and `/slow200` after 50 or 200 ms.
 */
const authority = await createTestAuthority()
const { key, cert } = await authority.issue(['localhost', '127.0.0.1'])

const BEHAVIOURS = ['ok', 'stamp', 'fail', 'slow50', 'slow200'] as const
/** How the receiver responds; the first part of the path. */
export type Behaviour = (typeof BEHAVIOURS)[number]
const received = Object.fromEntries(BEHAVIOURS.map((behaviour) => [behaviour, 0])) as Record<
  Behaviour,
  number
>
const DELAY_MS: Partial<Record<Behaviour, number>> = { slow50: 50, slow200: 200 }
type Wait = { behaviour: Behaviour; count: number; withinMs: number }
const waiting: (Omit<Wait, 'withinMs'> & { resolve(atMs: number): void })[] = []
/** The latencies of the events with a `sentAt`. */
let latenciesMs: number[] = []

const server = createServer({ key, cert, noDelay: true }, (socket) => {
  let unread = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    unread += chunk.toString('latin1')
    for (let end = messageEnd(unread); end > 0; end = messageEnd(unread)) {
      answer(socket, unread.slice(0, end))
      unread = unread.slice(end)
    }
  })
})

const OK = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
const FAILED = Buffer.from('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n')

function answer(socket: TLSSocket, request: string): void {
  const atMs = monotonicMs()
  const behaviour = /^POST \/(\w+)/.exec(request)?.[1] as Behaviour
  if (behaviour === 'stamp' || behaviour in DELAY_MS) {
    const sentAtMs = Number(/"sentAt":([\d.]+)/.exec(request)?.[1] ?? 0)
    if (sentAtMs > 0) latenciesMs.push(atMs - sentAtMs)
  }
  received[behaviour] += 1
  for (const [i, one] of waiting.entries()) {
    if (one.behaviour !== behaviour || received[behaviour] < one.count) continue
    waiting.splice(i, 1)
    one.resolve(atMs)
    break
  }
  const delayMs = DELAY_MS[behaviour]
  if (delayMs !== undefined) setTimeout(() => socket.write(OK), delayMs)
  else socket.write(behaviour === 'fail' ? FAILED : OK)
}

const url = `https://127.0.0.1:${await listen(server)}`
serveParent({
  address: () => ({ url, authority: authority.pem }),
  reset() {
    for (const behaviour of Object.keys(received)) received[behaviour as Behaviour] = 0
    latenciesMs = []
  },
  waitUntilReceived: ({ behaviour, count, withinMs }: Wait) =>
    new Promise((resolve, reject) => {
      if (received[behaviour] >= count) return resolve(monotonicMs())
      waiting.push({ behaviour, count, resolve })
      setTimeout(() => {
        const only = `only ${received[behaviour]} of ${count} requests to /${behaviour}`
        reject(new Error(`In ${withinMs} ms ${only} arrived.`))
      }, withinMs)
    }),
  latenciesMs: () => latenciesMs,
})
