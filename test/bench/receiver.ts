import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { createTestAuthority } from '../outbound/certificates.ts'
import { answerParent } from './apart.ts'
import { monotonicMs } from './clock.ts'

/**
 * The receiver of the bench. It shares the processor with what is measured, so it speaks as much of HTTP/1.1 as Posthorn
 * and undici do, by hand, and no more. How it answers is in the path: `/ok` and `/stamp` at once, `/fail` with 500, `/hang`
 * never, `/slow50` and `/slow200` after so many milliseconds, `/busy` after 50, and with 503 beyond 50 in parallel.
 */
const authority = await createTestAuthority()
const { key, cert } = await authority.issue(['localhost', '127.0.0.1'])

const MANNERS = ['ok', 'stamp', 'fail', 'hang', 'slow50', 'slow200', 'busy'] as const
type Manner = (typeof MANNERS)[number]
const received = Object.fromEntries(MANNERS.map((manner) => [manner, 0])) as Record<Manner, number>
const DELAY_MS: Partial<Record<Manner, number>> = { slow50: 50, slow200: 200, busy: 50 }
const MAX_BUSY = 50
let busyInParallel = 0
let busy = { answered: 0, refused: 0 }
const awaited: { manner: Manner; count: number; resolve(atMs: number): void }[] = []
/** How long the events with a `sentAt` took to arrive. */
let latenciesMs: number[] = []

const server = createServer({ key, cert, noDelay: true }, (socket) => {
  let unread = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    unread += chunk.toString('latin1')
    for (let end = requestEnd(unread); end > 0; end = requestEnd(unread)) {
      answer(socket, unread.slice(0, end))
      unread = unread.slice(end)
    }
  })
})

/** Where the first request of a text ends; 0 while it is not complete. */
function requestEnd(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return 0
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? '0'
  const end = headEnd + 4 + Number(length)
  return text.length >= end ? end : 0
}

const OK = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
const UNAVAILABLE = Buffer.from('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n')
const FAILED = Buffer.from('HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n')

function answer(socket: TLSSocket, request: string): void {
  const atMs = monotonicMs()
  const manner = /^POST \/(\w+)/.exec(request)?.[1] as Manner
  if (manner === 'stamp' || manner in DELAY_MS) {
    const sentAtMs = Number(/"sentAt":([\d.]+)/.exec(request)?.[1] ?? 0)
    if (sentAtMs > 0) latenciesMs.push(atMs - sentAtMs)
  }
  received[manner] += 1
  for (const [i, one] of awaited.entries()) {
    if (one.manner !== manner || received[manner] < one.count) continue
    awaited.splice(i, 1)
    one.resolve(atMs)
    break
  }
  const delayMs = DELAY_MS[manner]
  if (manner === 'busy') answerBusy(socket, delayMs)
  else if (delayMs !== undefined) setTimeout(() => socket.write(OK), delayMs)
  else if (manner !== 'hang') socket.write(manner === 'fail' ? FAILED : OK)
}

function answerBusy(socket: TLSSocket, delayMs: number | undefined): void {
  busy.answered += 1
  if (busyInParallel >= MAX_BUSY) {
    busy.refused += 1
    socket.write(UNAVAILABLE)
    return
  }
  busyInParallel += 1
  setTimeout(() => {
    busyInParallel -= 1
    socket.write(OK)
  }, delayMs)
}

server.listen(0, '127.0.0.1')
answerParent({
  async address() {
    while (!server.listening) await new Promise((resolve) => setTimeout(resolve, 1))
    const { port } = server.address() as AddressInfo
    return { url: `https://127.0.0.1:${port}`, authority: authority.pem }
  },
  forget() {
    for (const manner of Object.keys(received)) received[manner as Manner] = 0
    latenciesMs = []
    busy = { answered: 0, refused: 0 }
  },
  reached: ({ manner, count, withinMs }: { manner: Manner; count: number; withinMs: number }) =>
    new Promise((resolve, reject) => {
      if (received[manner] >= count) return resolve(monotonicMs())
      awaited.push({ manner, count, resolve })
      setTimeout(() => {
        const only = `only ${received[manner]} of ${count} requests to /${manner}`
        reject(new Error(`In ${withinMs} ms ${only} arrived.`))
      }, withinMs)
    }),
  latenciesMs: () => latenciesMs,
  busyCounts: () => busy,
})
