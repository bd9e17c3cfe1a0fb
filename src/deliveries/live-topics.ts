import type { Sql } from '../db/client.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'
import {
  type LiveItem,
  type LiveScope,
  MAX_MISSED,
  type Pages,
  type Topic,
} from '../streams/live/feed.ts'

/** A recorded attempt, whose position is its id, or a cancellation. */
export interface LiveDelivery extends LiveItem {
  readonly position: string
  readonly deliveryId: string
  readonly isAttempt: boolean
  /** Whether the delivery finished. */
  readonly finished: boolean
}

const PAGE_SIZE = 1_000

/** All attempts and cancellations. The end of each delivery is one of them. */
export const deliveryTopic: Topic<LiveDelivery> = {
  name: 'deliveries',
  follow: (sql, organizationId) =>
    async function* (since) {
      const scope = { organizationId, webhookId: null }
      yield* readDeliveries(sql, scope, since, await readCanceled(sql, scope, since))
    },
  async openMissed(sql, scope, since) {
    const canceled = await readCanceled(sql, scope, since)
    const count = canceled.length + (await countAttempts(sql, scope, since))
    return count > MAX_MISSED ? null : readDeliveries(sql, scope, since, canceled)
  },
}

async function* readDeliveries(
  sql: Sql,
  scope: LiveScope,
  since: string,
  canceled: readonly LiveDelivery[],
): Pages<LiveDelivery> {
  let rest = canceled
  for (let after = since; ; ) {
    const { rows } = await sql.query<LiveDelivery>(readAttempts(scope), valuesOf(scope, after))
    after = rows.at(-1)?.position ?? ''
    const isEnd = rows.length < PAGE_SIZE
    const before = isEnd ? rest : rest.filter(({ position }) => position <= after)
    rest = rest.slice(before.length)
    yield [...rows, ...before].sort((a, b) => (a.position < b.position ? -1 : 1))
    if (isEnd) return
  }
}

/** `offset 0` keeps the lookups apart: the planner could turn them into a join that reads the deliveries of all days. */
const readAttempts = (scope: LiveScope) => `
  select a.id as position, a.webhook_id as "webhookId", a.delivery_id as "deliveryId", true as "isAttempt",
    exists (
      select from posthorn.deliveries as d
      where d.id = a.delivery_id and d.state in ('succeeded', 'exhausted') and d.attempt_count = a.number offset 0
    ) as finished
  from (
    select a.id, a.webhook_id, a.delivery_id, a.number from posthorn.attempts as a
    where ${matches(scope)} order by a.id limit ${PAGE_SIZE}
  ) as a order by a.id`

async function countAttempts(sql: Sql, scope: LiveScope, since: string): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int from (
       select from posthorn.attempts as a where ${matches(scope)} limit ${MAX_MISSED + 1}
     ) as missed`,
    valuesOf(scope, since),
  )
  return rows[0]?.count ?? 0
}

/** By the index on (organization_id, status_class, id) or that of the webhook: the list names all status classes. */
const matches = ({ webhookId }: LiveScope) =>
  `a.organization_id = $1 and a.id > $2 and a.status_class = any ('{0,2,3,4,5}')
   ${webhookId === null ? '' : 'and a.webhook_id = $3'}`

const valuesOf = ({ organizationId, webhookId }: LiveScope, since: string) =>
  webhookId === null ? [organizationId, since] : [organizationId, since, webhookId]

/** By the index on (organization_id, canceled_at). Prepared, because planning takes longer: any day may have some. */
async function readCanceled(
  sql: Sql,
  { organizationId, webhookId }: LiveScope,
  since: string,
): Promise<LiveDelivery[]> {
  const { rows } = await sql.query<{ deliveryId: string; webhookId: string; at: Date }>({
    name: 'read_canceled',
    text: `
      select id as "deliveryId", webhook_id as "webhookId", canceled_at as at from posthorn.deliveries
      where organization_id = $1 and canceled_at >= posthorn.uuid_v7_timestamp($2) and ($3::uuid is null or webhook_id = $3)
      order by canceled_at limit ${MAX_MISSED + 1}`,
    values: [organizationId, since, webhookId],
  })
  return rows.map(({ at, ...row }) => ({
    ...row,
    // The time of the cancellation, and what makes the id of the delivery unique.
    position: lowerBoundAt(at).slice(0, TIME_LENGTH) + row.deliveryId.slice(TIME_LENGTH),
    isAttempt: false,
    finished: true,
  }))
}

/** The first 48 bits of a uuid, as text. */
const TIME_LENGTH = 13
