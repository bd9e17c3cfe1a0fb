import type { GraphQLResolveInfo } from 'graphql'
import type { Sql } from '../db/client.ts'
import { requireId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { openStream, readOnce } from '../graphql/live-stream.ts'
import { streamsOfWebhook } from '../graphql/portal-access.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import {
  followPositions,
  type LiveSource,
  MAX_MISSED,
  type PositionedItem,
  type PositionedPage,
  resumeAt,
  type StreamItem,
  type Topic,
} from '../streams/live/stream.ts'
import { findAttemptsByIds } from './attempts/find-attempts.ts'
import { findDeliveriesByIds } from './find-deliveries.ts'

const WEBHOOK_ID = 'Limits the stream to this webhook: `wh_…`. Default: all webhooks.'

const RESUMING = `Those of the 5 seconds before are sent again, because several processes record at the same time; recognize them by \`id\`. After more than ${MAX_MISSED.toLocaleString('en')} missed attempts, the error has the code \`RELOAD_REQUIRED\`. Default: the stream begins now.`

builder.subscriptionFields((t) => ({
  attemptRecorded: t.prismaField({
    type: 'Attempt',
    nullable: true,
    description:
      'Emits each attempt when it is recorded. Null if the attempt was deleted in the meantime. The state of its webhook is evaluated seconds later: to show the state, subscribe to `webhookHealthChanged` too.',
    authScopes: { scope: 'deliveries:read' },
    portal: streamsOfWebhook,
    args: {
      webhookId: t.arg.id({ description: WEBHOOK_ID }),
      after: t.arg.id({
        description: `The id of an attempt, \`att_…\`, such as the last one that the client received. The stream begins with the attempts recorded after this one. ${RESUMING}`,
      }),
    },
    subscribe: (_root, { webhookId, after }, context) =>
      openStream(context, {
        topic: attemptTopic,
        webhookId,
        after: after == null ? null : timestampOf(requireId('attempt', after, ['after'])),
      }) as never,
    resolve: (query, parent, _args, context, info) =>
      rowOf(parent, 'position', info, (uuids) =>
        findAttemptsByIds(context.prisma, context.caller.organizationId, uuids, query),
      ),
  }),

  deliveryFinished: t.prismaField({
    type: 'Delivery',
    nullable: true,
    description:
      'Emits each delivery that finishes: it succeeded, is exhausted or was canceled. Null if the delivery was deleted in the meantime.',
    authScopes: { scope: 'deliveries:read' },
    portal: streamsOfWebhook,
    args: {
      webhookId: t.arg.id({ description: WEBHOOK_ID }),
      after: t.arg({
        type: 'DateTime',
        description: `The \`finishedAt\` of a delivery, such as the last one that the client received. The stream begins with the deliveries that finished after this time. ${RESUMING}`,
      }),
    },
    subscribe: (_root, { webhookId, after }, context) =>
      openStream(context, {
        topic: finishedTopic,
        webhookId,
        after: after ?? null,
      }) as never,
    resolve: (query, parent, _args, context, info) =>
      rowOf(parent, 'deliveryId', info, (uuids) =>
        findDeliveriesByIds(context.prisma, context.caller.organizationId, uuids, query),
      ),
  }),
}))

/** The row of an item. The rows of a batch are read together. */
async function rowOf<Row>(
  parent: unknown,
  key: 'position' | 'deliveryId',
  info: GraphQLResolveInfo,
  find: (uuids: string[]) => Promise<ReadonlyMap<string, Row>>,
): Promise<Row | null> {
  const event = parent as StreamItem<LiveDelivery>
  const rows = await readOnce(event, info, (batch) => find(batch.map((item) => item[key])))
  return rows.get(event.item[key]) ?? null
}

/** A recorded attempt, whose position is its id, or a cancellation. */
export interface LiveDelivery extends PositionedItem {
  readonly deliveryId: string
  /** Whether the delivery finished. */
  readonly finished: boolean
}

type Scope = Pick<LiveSource, 'organizationId' | 'webhookId'>
type ReadPage = (sql: Sql, scope: Scope, after: string) => Promise<PositionedPage<LiveDelivery>>

const PAGE_SIZE = 1_000

export const attemptTopic = createTopic('attempts', async (sql, scope, after) => {
  const items = await readAttempts(sql, scope, after)
  return { items, reached: items.at(-1)?.position ?? after, isEnd: items.length < PAGE_SIZE }
})

/** The ends of deliveries: their last attempts, and cancellations. */
export const finishedTopic = createTopic('finished', async (sql, scope, after) => {
  const pages = await Promise.all([
    readAttempts(sql, scope, after),
    readCanceled(sql, scope, after),
  ])
  // A full page leaves out what comes after its last item.
  const full = pages.filter(({ length }) => length === PAGE_SIZE)
  const [end] = full.flatMap((page) => page.at(-1)?.position ?? []).toSorted()
  const read = pages
    .flat()
    .filter(({ position }) => end === undefined || position <= end)
    .sort((a, b) => (a.position < b.position ? -1 : 1))
  const items = read.filter(({ finished }) => finished)
  return { items, reached: read.at(-1)?.position ?? after, isEnd: end === undefined }
})

function createTopic(name: string, readPage: ReadPage): Topic<LiveDelivery> {
  return async ({ sql, news, ...scope }, resumedAt) => {
    if (resumedAt && (await countMissed(sql, scope, resumedAt)) > MAX_MISSED) return null
    return await followPositions({ sql, news }, resumedAt, (after) => {
      const key = [name, scope.organizationId, scope.webhookId, after].join()
      return news.read(key, () => readPage(sql, scope, after))
    })
  }
}

/** `offset 0` keeps the lookups apart: the planner could turn them into a join that reads the deliveries of all days. */
async function readAttempts(sql: Sql, scope: Scope, after: string): Promise<LiveDelivery[]> {
  const { rows } = await sql.query<LiveDelivery>(
    `select a.id as position, a.delivery_id as "deliveryId", exists (
       select from posthorn.deliveries as d
       where d.id = a.delivery_id and d.state in ('succeeded', 'exhausted') and d.attempt_count = a.number offset 0
     ) as finished
     from (
       select a.id, a.delivery_id, a.number from posthorn.attempts as a
       where ${matches(scope)} order by a.id limit ${PAGE_SIZE}
     ) as a order by a.id`,
    valuesOf(scope, after),
  )
  return rows
}

/** By the index on (organization_id, status_class, id) or that of the webhook: the list names all status classes. */
const matches = ({ webhookId }: Scope) =>
  `a.organization_id = $1 and a.id > $2 and a.status_class = any ('{0,2,3,4,5}')
   ${webhookId === null ? '' : 'and a.webhook_id = $3'}`

const valuesOf = ({ organizationId, webhookId }: Scope, after: string) =>
  webhookId === null ? [organizationId, after] : [organizationId, after, webhookId]

/**
 * The position of a cancellation is its time, and what makes the id of the delivery unique. By the index on
 * (organization_id, canceled_at). Prepared, because planning takes longer: any day may have some.
 */
async function readCanceled(
  sql: Sql,
  { organizationId, webhookId }: Scope,
  after: string,
  limit = PAGE_SIZE,
): Promise<LiveDelivery[]> {
  const { rows } = await sql.query<LiveDelivery>({
    name: 'read_canceled',
    text: `
      select position, id as "deliveryId", true as finished
      from (
        select id, overlay(id::text placing left(posthorn.uuid_v7_lower_bound(canceled_at)::text, 13) from 1)::uuid as position
        from posthorn.deliveries
        where organization_id = $1 and canceled_at >= posthorn.uuid_v7_timestamp($2) and ($3::uuid is null or webhook_id = $3)
      ) as canceled
      where position > $2 order by position limit $4`,
    values: [organizationId, after, webhookId, limit],
  })
  return rows
}

/** How many a client missed, up to one more than it may have missed. */
async function countMissed(sql: Sql, scope: Scope, resumedAt: Date): Promise<number> {
  const after = resumeAt(resumedAt)
  const { rows } = await sql.query<{ count: number }>(
    `select count(*)::int from (
       select from posthorn.attempts as a where ${matches(scope)} limit ${MAX_MISSED + 1}
     ) as missed`,
    valuesOf(scope, after),
  )
  const canceled = await readCanceled(sql, scope, after, MAX_MISSED + 1)
  return (rows[0]?.count ?? 0) + canceled.length
}
