import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createTestAuthority } from '../outbound/certificates.ts'
import { chanceOf } from './chance.ts'

/*
 * A TLS receiver in a process of its own, which no fault hits. It counts every `wh-id`, and at /shaky it now and then
 * answers 500, resets the connection or never answers; but never three times in a row, so that all is delivered in the end.
 */

/** What it knows of one `wh-id`. */
export interface Seen {
  readonly path: string
  readonly event: number
  arrivals: number
  acknowledged: number
  /** When it arrived again although a 2xx was sent before, by the clock of this machine. */
  readonly againAtMs: number[]
}

const chance = chanceOf(Number(process.argv[2] ?? 1))
const seen = new Map<string, Seen>()
/** How many deliveries of each event arrived. */
const arrivalsOf = new Map<number, number>()
const authority = await createTestAuthority()
const { key, cert } = await authority.issue(['localhost', '127.0.0.1'])

const server = createServer({ key, cert }, async (request, response) => {
  response.on('error', () => {})
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return
  }
  const { data } = JSON.parse(Buffer.concat(chunks).toString())
  const id = String(request.headers['wh-id'])
  const entry: Seen = seen.get(id) ?? {
    path: request.url ?? '',
    event: data.n,
    arrivals: 0,
    acknowledged: 0,
    againAtMs: [],
  }
  if (!seen.has(id)) arrivalsOf.set(entry.event, (arrivalsOf.get(entry.event) ?? 0) + 1)
  seen.set(id, entry)
  entry.arrivals += 1
  if (entry.acknowledged > 0) entry.againAtMs.push(Date.now())
  const dice = entry.path === '/shaky' && entry.arrivals <= 2 ? chance() : 1
  if (dice < 0.03) response.writeHead(500).end()
  else if (dice < 0.05) request.socket.destroy()
  else if (dice < 0.053) return
  else {
    response.end()
    // As soon as it is handed to the socket the sender may have it.
    entry.acknowledged += 1
  }
})
server.keepAliveTimeout = 60_000
server.on('tlsClientError', () => {})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ url: `https://127.0.0.1:${port}`, authority: authority.pem })
})
process.on('message', (question: 'all' | 'count' | { event: number }) => {
  if (question === 'all') process.send?.([...seen])
  else if (question === 'count') process.send?.(seen.size)
  else process.send?.(arrivalsOf.get(question.event) ?? 0)
})
process.on('disconnect', () => process.exit())
