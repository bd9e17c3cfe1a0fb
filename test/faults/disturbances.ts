import { setTimeout as sleep } from 'node:timers/promises'
import type { ProxiedConnection } from './proxied-connection.ts'
import type { TcpProxy } from './tcp-proxy.ts'

/** What happens to a connection. Each ends within the given time. */
const DISTURBANCES: Readonly<
  Record<string, (connection: ProxiedConnection, random: () => number, maxMs: number) => void>
> = {
  cut: (connection) => connection.reset(),
  'half-closed': (connection, random) => connection.halfClose(random() < 0.5 ? 'client' : 'server'),
  delayed(connection, random, maxMs) {
    connection.pause()
    setTimeout(() => connection.resume(), Math.min(50 + random() * 1_500, maxMs))
  },
  /** Its packets are lost until the network returns, and then no side knows the connection of the other. */
  dropped(connection, random, maxMs) {
    connection.silence()
    resetLater(connection, random, maxMs)
  },
  'without answers'(connection, random, maxMs) {
    connection.silenceServer()
    resetLater(connection, random, maxMs)
  },
}

function resetLater(connection: ProxiedConnection, random: () => number, maxMs: number): void {
  setTimeout(() => connection.reset(), Math.min(2_000 + random() * 8_000, maxMs))
}

/**
 * Disturbs random connections of the proxies, one every 10 to 200 ms. Returns the number of the disturbed ones; when the
 * promise resolves, none is disturbed any more.
 */
export async function disturbConnections(
  proxies: () => readonly TcpProxy[],
  random: () => number,
  forMs: number,
): Promise<number> {
  const endsAt = performance.now() + forMs
  const kinds = Object.values(DISTURBANCES)
  let count = 0
  while (performance.now() < endsAt) {
    await sleep(10 + random() * 190)
    const connections = proxies().flatMap((proxy) => [...proxy.connections])
    const disturb = kinds[Math.floor(random() * kinds.length)]
    const connection = connections[Math.floor(random() * connections.length)]
    if (!disturb || !connection) continue
    disturb(connection, random, Math.max(endsAt - performance.now(), 0))
    count += 1
  }
  return count
}
