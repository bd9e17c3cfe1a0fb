import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { listen } from './listen.ts'

/** Systems give the ports of this range to no program that asks for any port, so the port stays free. */
const RANGE = [20_000, 32_000] as const

/** A port of 127.0.0.1 on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server, { port: randomInt(...RANGE) }).catch(() => null)
  if (port === null) return await freePort()
  server.close()
  await once(server, 'close')
  return port
}
