import type { Sql } from '../db/client.ts'
import type { LiveItem, Topic } from '../live/feed.ts'
import type { UseStream } from './event-stream.ts'
import { givePositions } from './give-positions.ts'

/** The stream of an organization has something new. Readers read it from where they are. */
export interface StreamNews extends LiveItem {
  readonly position: null
}

/** How long what comes after the first event waits for others, so that readers read them together. */
const REST_MS = 25

/** Events that SQL publishes come without a notification: those who notify would wait for each other's commits. */
const POLL_MS = 250

const NEWS: StreamNews = { webhookId: '', position: null }

/** Looks for new events of the organizations that have streams in this process, once for all streams of each. */
export function createStreamTopic(useStream: UseStream): Topic<StreamNews> {
  return {
    name: 'events',
    restMs: REST_MS,
    pollMs: POLL_MS,
    onlyNewest: true,
    follow(sql, organizationId) {
      let newest = -1
      return async function* () {
        // Whoever follows a stream for as long as events are kept still uses it.
        await useStream(organizationId)
        let found = await look(sql, organizationId)
        if (found.isWaiting) {
          await givePositions(sql, organizationId)
          found = await look(sql, organizationId)
        }
        if (found.newest === newest) return
        newest = found.newest
        yield [NEWS]
      }
    },
  }
}

/** Both indexes of the batches serve it. */
async function look(sql: Sql, organizationId: string) {
  const { rows } = await sql.query<{ isWaiting: boolean; newest: number }>({
    name: 'look_for_stream_events',
    text: `
      select
        exists (select from posthorn.published_batches
          where organization_id = $1 and position is null) as "isWaiting",
        coalesce((select max(position) from posthorn.published_batches
          where organization_id = $1), 0)::float8 as newest`,
    values: [organizationId],
  })
  return rows[0] as { isWaiting: boolean; newest: number }
}
