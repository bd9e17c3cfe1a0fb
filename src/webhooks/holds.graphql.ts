import { builder } from '../graphql/builder.ts'
import { findHolds, type Hold, MAX_HOLDS } from './holds.ts'

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
