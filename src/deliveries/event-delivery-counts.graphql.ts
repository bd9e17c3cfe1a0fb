import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import {
  countDeliveriesOfEvents,
  type EventDeliveryCounts,
  MAX_COUNTED,
} from './event-delivery-counts.ts'

const Counts = builder.objectRef<EventDeliveryCounts>('EventDeliveryCounts').implement({
  description: `The number of deliveries of an event. Counting stops at ${MAX_COUNTED.toLocaleString('en')}.`,
  fields: (t) => ({
    total: t.exposeInt('total', { description: 'The number of deliveries: one per webhook.' }),
    succeeded: t.exposeInt('succeeded', { description: 'Those that succeeded.' }),
    exhausted: t.exposeInt('exhausted', { description: 'Those that are exhausted.' }),
    canceled: t.exposeInt('canceled', { description: 'Those that were canceled.' }),
    retrying: t.exposeInt('retrying', {
      description: 'Those that failed and have a retry scheduled.',
    }),
    waiting: t.exposeInt('waiting', { description: 'Those that wait for their webhook.' }),
    onHold: t.exposeInt('onHold', {
      description: 'Those of the waiting ones whose webhook is on hold.',
    }),
    unfinished: t.int({
      description: 'Those that are queued, retrying or waiting.',
      resolve: ({ total, succeeded, exhausted, canceled }) =>
        total - succeeded - exhausted - canceled,
    }),
  }),
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
      const { session } = callerOf(context)
      const run = (ids: string[]) =>
        countDeliveriesOfEvents(context.sql, organizationId, ids, session?.webhookId ?? null)
      return context.perOrganization(organizationId, info, run)(id)
    },
  }),
}))
