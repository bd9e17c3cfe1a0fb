import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'
import { pagesOfEach } from '../db/pages-of-each.ts'
import { builder } from '../graphql/builder.ts'
import { countParked, MAX_COUNTED } from '../webhooks/delivery-health.ts'

/** The uuid of its webhook. */
const WebhookBacklog = builder.objectRef<string>('WebhookBacklog').implement({
  description:
    'The deliveries that wait for a webhook, because it is disabled, on hold, at its concurrency limit or rate limit, or ordered.',
  fields: (t) => ({
    count: t.int({
      description: `The number of waiting deliveries. Counts at most ${MAX_COUNTED.toLocaleString('en')}.`,
      resolve: (webhookId, _args, context, info) =>
        context.perField(info, (ids: string[]) => countParked(context.sql, ids))(webhookId),
    }),
    oldest: t.prismaField({
      type: 'Delivery',
      nullable: true,
      description: 'The waiting delivery of the oldest event. Null if none waits.',
      authScopes: { scope: 'deliveries:read' },
      resolve: (query, webhookId, _args, context, info) =>
        context.perField(info, (ids: string[]) => findOldestParked(context, ids, query))(webhookId),
    }),
  }),
})

builder.prismaObjectFields('Webhook', (t) => ({
  backlog: t.field({
    type: WebhookBacklog,
    semanticNonNull: true,
    description: 'The backlog: the deliveries that are `WAITING`.',
    authScopes: { scope: 'deliveries:read' },
    select: { id: true },
    resolve: ({ id }) => id,
  }),
}))

/**
 * The parked delivery of the oldest event for each webhook. The index deliveries_parked has those with priority apart from
 * the others.
 */
async function findOldestParked(
  { prisma, sql }: { readonly prisma: Db; readonly sql: Sql },
  webhookIds: readonly string[],
  selection: Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>,
): Promise<(Delivery | null)[]> {
  const pages = await pagesOfEach(
    sql,
    webhookIds,
    { ...selection, take: 1 },
    () => `
      select first.id from unnest(array[false, true]) as priority (given), lateral (
        select d.id, d.event_id from posthorn.deliveries as d
        where d.webhook_id = owner.id and d.has_priority = priority.given and d.parked_at is not null
        order by d.event_id limit 1
      ) as first
      order by first.event_id limit 1`,
    (found) => prisma.delivery.findMany(found),
  )
  return pages.map(([oldest]) => oldest ?? null)
}
