import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '../../src/db/client.ts'
import { createTenant, JOINED, subscribe } from './factories.ts'
import { until } from './until.ts'

/** Publishes events in SQL until it is stopped. */
export interface Publishing extends AsyncDisposable {
  readonly type: string
  /** Resolves when as many more events are stored. */
  published(count: number): Promise<void>
  /** Returns how many events were stored, and the errors of the others. */
  stop(): Promise<{ count: number; errors: unknown[] }>
}

/** Each writer has a connection, and publishes to a webhook of a new organization. */
export async function startPublishing(
  database: Database,
  { writers, perSecond }: { readonly writers: number; readonly perSecond: number },
): Promise<Publishing> {
  const { organizationId, publicOrganizationId } = await createTenant(database.prisma)
  await subscribe(database, organizationId, [JOINED])
  const connections = openDatabase(database.url, { maxConnections: writers })
  const errors: unknown[] = []
  let count = 0
  let stopped = false

  async function write(): Promise<void> {
    while (!stopped) {
      try {
        await connections.pool.query('select posthorn.publish_event($1, $2, $3)', [
          publicOrganizationId,
          JOINED,
          '{}',
        ])
        count += 1
      } catch (error) {
        errors.push(error)
      }
      await sleep(1_000 / perSecond)
    }
  }

  const running = Array.from({ length: writers }, write)
  async function stop() {
    stopped = true
    await Promise.all(running)
    return { count, errors }
  }
  return {
    type: JOINED,
    async published(more) {
      const target = count + more
      await until(() => count >= target || errors.length > 0, `${more} more events are published`)
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
      await connections[Symbol.asyncDispose]()
    },
  }
}
