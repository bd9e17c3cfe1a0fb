import { builder } from '../graphql/builder.ts'
import { countParked, MAX_COUNTED_PARKED } from './count-parked.ts'

builder.prismaObjectFields('Webhook', (t) => ({
  parkedCount: t.int({
    semanticNonNull: true,
    description: `The number of deliveries parked in the backlog, because the webhook is disabled, on hold, at its concurrency limit or rate limit, or ordered. Counts at most ${MAX_COUNTED_PARKED.toLocaleString('en')}. Needs the scope \`deliveries:read\`.`,
    authScopes: { scope: 'deliveries:read' },
    select: { id: true },
    resolve: ({ id }, _args, context, info) =>
      context.perField(info, (ids: string[]) => countParked(context.sql, ids))(id),
  }),
}))
