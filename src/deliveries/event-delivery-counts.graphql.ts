import type { Sql } from '../db/client.ts'
import { builder } from '../graphql/builder.ts'

/** By field: SQL, which of the deliveries it counts, and its description. */
const COUNTS = {
  total: ['true', 'The number of deliveries: one per webhook.'],
  succeeded: [`state = 'succeeded'`, 'Those that succeeded.'],
  exhausted: [`state = 'exhausted'`, 'Those that are exhausted.'],
  canceled: [`state = 'canceled'`, 'Those that were canceled.'],
  retrying: [
    `state = 'pending' and parked_at is null and attempt_count > 0`,
    'Those that failed and have a retry scheduled.',
  ],
  waiting: ['parked_at is not null', 'Those that wait for their webhook.'],
  onHold: [
    `parked_at is not null and exists (
      select from posthorn.webhooks as w join posthorn.webhook_schedules as s on s.webhook_id = w.id
      where w.id = delivery.webhook_id and w.enabled and s.on_hold_since is not null)`,
    'Those of the waiting ones whose webhook is on hold.',
  ],
  unfinished: [`state = 'pending'`, 'Those that are queued, retrying or waiting.'],
} as const

type EventDeliveryCounts = Readonly<Record<keyof typeof COUNTS, number>>

/** Counting stops at this many deliveries of an event. */
const MAX_COUNTED = 1_000

const Counts = builder.objectRef<EventDeliveryCounts>('EventDeliveryCounts').implement({
  description: `The number of deliveries of an event. Counting stops at ${MAX_COUNTED.toLocaleString('en')}.`,
  fields: (t) =>
    Object.fromEntries(
      Object.entries(COUNTS).map(([name, [, description]]) => [
        name,
        t.exposeInt(name as keyof typeof COUNTS, { description }),
      ]),
    ),
})

builder.prismaObjectFields('Event', (t) => ({
  deliveryCounts: t.field({
    type: Counts,
    semanticNonNull: true,
    description: 'The number of deliveries of this event.',
    authScopes: { scope: 'deliveries:read' },
    // The resolver counts only the webhook of a restricted session.
    portal: 'open',
    select: { id: true, organizationId: true },
    resolve: ({ id, organizationId }, _args, context, info) => {
      const { session } = context.caller
      const run = (ids: string[]) =>
        countDeliveriesOfEvents(context.sql, organizationId, ids, session?.webhookId ?? null)
      return context.perOrganization(organizationId, info, run)(id)
    },
  }),
}))

/** Counts the deliveries of each of these events, in their order, with one statement: all, or those of one webhook. */
async function countDeliveriesOfEvents(
  sql: Sql,
  organizationId: string,
  eventUuids: readonly string[],
  onlyWebhook: string | null,
): Promise<EventDeliveryCounts[]> {
  const { rows } = await sql.query<EventDeliveryCounts>({
    name: 'count_deliveries_of_events',
    text: COUNT,
    values: [organizationId, eventUuids, onlyWebhook],
  })
  return rows
}

const SELECTED = Object.entries(COUNTS)
  .map(([name, [counted]]) => `(count(*) filter (where ${counted}))::int as "${name}"`)
  .join(', ')

/** A delivery is as new as its event, or newer, which leaves out older partitions. */
const COUNT = `
  select counted.* from unnest($2::uuid[]) with ordinality as event (id, position), lateral (
    select ${SELECTED}
    from (
      select d.state, d.parked_at, d.attempt_count, d.webhook_id from posthorn.deliveries as d
      where d.event_id = event.id and d.id >= event.id and d.organization_id = $1
        and ($3::uuid is null or d.webhook_id = $3)
      limit ${MAX_COUNTED}
    ) as delivery
  ) as counted order by event.position`
