import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Systems give the ports of this range to no program that asks for any port, so the port stays free. */
const RANGE = [20_000, 32_000] as const

/** A port of 127.0.0.1 on which nothing listens. */
export async function freePort(): Promise<number> {
  const port = randomInt(...RANGE)
  const server = createServer().listen(port, '127.0.0.1')
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return await freePort()
  server.close()
  await once(server, 'close')
  return port
}
