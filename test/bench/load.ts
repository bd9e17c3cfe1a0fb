import type { Bench } from './bench.ts'
import { monotonicMs } from './clock.ts'
import { DATA } from './fill.ts'
import type { PosthornServer } from './posthorn-server.ts'
import { startScript } from './script-process.ts'

/** Publishes events to a process, each of which becomes one delivery. */
export interface Load extends AsyncDisposable {
  /** Publishes events one after the other on each connection. Resolves with the ms until the last one arrives. */
  deliver(count: number, batch: number | null): Promise<number>
}

export const CONNECTIONS = 50

/** Publishes to a process with both roles, and to a webhook whose path is `/stamp`. */
export function startLoad(
  { receiver }: Bench,
  { url }: PosthornServer,
  { token, type }: { readonly token: string; readonly type: string },
): Load {
  const publisher = startScript('publisher-main.ts')
  return {
    async deliver(count, batch) {
      await receiver.reset()
      const startedAt = monotonicMs()
      const target = { url, token, connections: CONNECTIONS, type, data: DATA, batch, count }
      const [arrivedAt] = await Promise.all([
        receiver.waitUntilReceived('stamp', count),
        publisher.call('publishNumber', target),
      ])
      return arrivedAt - startedAt
    },
    [Symbol.asyncDispose]: () => publisher[Symbol.asyncDispose](),
  }
}
