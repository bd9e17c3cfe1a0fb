import { createServer } from 'node:https'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveParent } from '../bench/script-process.ts'
import { createTestAuthority } from '../outbound/certificates.ts'
import { listen } from '../support/listen.ts'
import { seededRandom } from './seeded-random.ts'

/*
 * A TLS receiver in its own process, which no fault hits. It counts the requests of every `wh-id`. The endpoint /shaky
 * sometimes answers 500, resets the connection or never answers, but at most twice per delivery, so that all succeed.
 */

/** The requests of one `wh-id`. */
export interface SeenDelivery {
  readonly path: string
  readonly event: number
  arrivals: number
  acknowledged: number
  /** The times of the arrivals after a 2xx was sent. */
  readonly duplicateAtMs: number[]
}

let random: () => number
const seen = new Map<string, SeenDelivery>()
const authority = await createTestAuthority()
const { key, cert } = await authority.issue(['127.0.0.1'])

const server = createServer({ key, cert }, async (request, response) => {
  response.on('error', () => {})
  // A fault can end a request during its body.
  const event = (await json(request).catch(() => null)) as { data: { n: number } } | null
  if (event === null) return
  const id = String(request.headers['wh-id'])
  const entry: SeenDelivery = seen.get(id) ?? {
    path: request.url ?? '',
    event: event.data.n,
    arrivals: 0,
    acknowledged: 0,
    duplicateAtMs: [],
  }
  seen.set(id, entry)
  entry.arrivals += 1
  if (entry.acknowledged > 0) entry.duplicateAtMs.push(Date.now())
  // An answer takes a while, so that faults hit requests in flight.
  await sleep(random() * 50)
  const chance = entry.path === '/shaky' && entry.arrivals <= 2 ? random() : 1
  if (chance < 0.03) response.writeHead(500).end()
  else if (chance < 0.05) request.socket.destroy()
  else if (chance < 0.053) return
  else {
    if (request.socket.destroyed) return
    response.end()
    // The sender may have the answer as soon as it is written to the socket.
    entry.acknowledged += 1
  }
})
server.keepAliveTimeout = 60_000
server.on('tlsClientError', () => {})

serveParent({
  async start({ seed }: { seed: number }) {
    random = seededRandom(seed)
    return { url: `https://127.0.0.1:${await listen(server)}`, authority: authority.pem }
  },
  seen: () => [...seen],
})
