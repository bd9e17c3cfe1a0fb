import { JOINED } from '../../support/factories.ts'
import { call, createWebhook } from '../support/call.ts'
import type { ConsoleServer } from '../support/console-server.ts'

/** Adds a webhook of the receiver, by default one that subscribes to `JOINED`. Returns its id. */
export const addWebhook = (server: ConsoleServer, name: string, input: object = {}) =>
  createWebhook(server, {
    url: `${server.receiver.url}${name}`,
    description: `The ${name}`,
    enabled: true,
    retryScheduleSeconds: [3_600],
    ...input,
  })

/** Publishes events of `JOINED` one after the other. Returns their ids, the oldest first. */
export async function publish(server: ConsoleServer, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let order = 1; order <= count; order++) {
    const input = { type: JOINED, data: { order } }
    const fields = 'publishedEvent { id }'
    const { publishedEvent } = await call(server, 'publishEvent', { input }, fields)
    ids.push(publishedEvent.id)
  }
  return ids
}
