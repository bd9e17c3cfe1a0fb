import type { Sql } from '../db/client.ts'
import { builder } from '../graphql/builder.ts'

/** A time in which the circuit breaker, or the endpoint by `Retry-After`, had a webhook on hold. */
interface Hold {
  readonly startedAt: Date
  readonly endedAt: Date | null
}

const MAX_HOLDS = 100

const WebhookHold = builder.objectRef<Hold>('WebhookHold').implement({
  description: 'A time in which a webhook was on hold.',
  fields: (t) => ({
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When the hold began.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When a probe succeeded, somebody resumed the webhook, or its URL was changed. Null: it is on hold.',
    }),
  }),
})

builder.prismaObjectFields('Webhook', (t) => ({
  holds: t.field({
    type: [WebhookHold],
    description: `The holds of the webhook that overlap a time range, newest first. A list and no connection, because it marks times: at most ${MAX_HOLDS}.`,
    args: {
      since: t.arg({ type: 'DateTime', required: true, description: 'The start of the range.' }),
      until: t.arg({ type: 'DateTime', description: 'The end of the range. Default: now.' }),
    },
    complexity: { field: 1, multiplier: MAX_HOLDS },
    select: { id: true },
    resolve: ({ id }, range, context, info) =>
      context.perField(info, (webhooks: string[]) => findHolds(context.sql, webhooks, range))(id),
  }),
}))

/** The last holds of each webhook that overlap a time range, newest first. */
async function findHolds(
  sql: Sql,
  webhookUuids: readonly string[],
  { since, until }: { readonly since: Date; readonly until?: Date | null | undefined },
): Promise<Hold[][]> {
  const { rows } = await sql.query<Hold & { webhook: string }>({
    name: 'find_holds',
    text: `
      select h.webhook_id as webhook, h.started_at as "startedAt", h.ended_at as "endedAt"
      from unnest($1::uuid[]) as w (id) cross join lateral (
        select * from posthorn.webhook_holds as h
        where h.webhook_id = w.id and h.started_at < $3 and coalesce(h.ended_at, 'infinity') >= $2
        order by h.started_at desc limit ${MAX_HOLDS}
      ) as h
      order by h.started_at desc`,
    values: [webhookUuids, since, until ?? 'infinity'],
  })
  const byWebhook = Map.groupBy(rows, ({ webhook }) => webhook)
  return webhookUuids.map((uuid) => byWebhook.get(uuid) ?? [])
}
