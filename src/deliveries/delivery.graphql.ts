import { requireScope } from '../auth/access/scope.ts'
import { PayloadState } from '../events/payload-state-enum.ts'
import { builder } from '../graphql/builder.ts'
import { type Context, withinReach } from '../graphql/context.ts'
import { addList } from '../graphql/list.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { filtersByWebhook, findsNode, rowsOfWebhook } from '../graphql/portal-access.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import { ParkedReason } from '../webhooks/delivery-enums.ts'
import { findDeliveries, findDeliveryById } from './find-deliveries.ts'
import { type DeliveryFilterInput, readDeliveryFilter } from './read-filters.ts'

type ParkedReasonValue = typeof ParkedReason.$inferType

const filterArg = {
  type: 'DeliveryFilter',
  description: 'Selects deliveries. Default: all.',
} as const

builder.prismaNode('Delivery', {
  id: { field: 'id' },
  findUnique: (id, context) => ({ id, ...withinReach(context) }),
  nullable: true,
  extensions: {
    readScope: 'deliveries:read',
    ofWebhook: rowsOfWebhook('deliveries'),
  },
  // The attempts of a delivery are read by their number.
  select: { id: true, organizationId: true, attemptCount: true },
  fields: (t) => ({
    event: t.relation('event', {
      nullable: true,
      description: 'The event. Null once it is past its retention.',
      authScopes: { scope: 'events:read' },
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was created: with its event, or later by a recovery.',
      resolve: ({ id }) => timestampOf(id),
    }),
    attemptCount: t.exposeInt('attemptCount'),
    nextAttemptAt: t.expose('nextAttemptAt', { type: 'DateTime', nullable: true }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
    parkedAt: t.expose('parkedAt', { type: 'DateTime', nullable: true }),
    parkedReason: t.field({
      type: ParkedReason,
      nullable: true,
      description: 'Why the delivery is parked. Null if it is not parked.',
      select: { parkedReason: true },
      resolve: ({ parkedReason }) => parkedReason as ParkedReasonValue | null,
    }),
    isTest: t.exposeBoolean('isTest'),
    payloadState: t.field({
      type: PayloadState,
      description:
        'Whether the payload is still there for this delivery: if not, it cannot be redelivered. Other deliveries of the event can still have it.',
      select: { isErased: true, event: { select: { erasedAt: true, unkeptBytes: true } } },
      resolve: ({ isErased, event }) => {
        const found = event as typeof event | null
        if (found?.erasedAt != null) return found.unkeptBytes === null ? 'erased' : 'not_kept'
        return isErased ? 'not_kept' : 'kept'
      },
    }),
  }),
})

organizationFields((t) => ({
  delivery: t.prismaField({
    type: 'Delivery',
    nullable: true,
    description: 'The delivery with this id, or null.',
    authScopes: { scope: 'deliveries:read' },
    portal: findsNode,
    args: {
      id: t.arg.id({
        required: true,
        description: 'The id of a delivery, which is its `wh-id`: `msg_…`.',
      }),
    },
    resolve: (query, organization, { id }, context) =>
      findDeliveryById(context.prisma, organizationOf(organization, context), id, query),
  }),
}))

addList('Organization', 'deliveries', 'Delivery', {
  description: 'The deliveries of the organization, newest first.',
  scope: 'deliveries:read',
  portal: filtersByWebhook,
  args: (t) => ({
    filter: t.field(filterArg),
    newestOfEvent: t.boolean({
      defaultValue: false,
      description: 'Whether to return one delivery per event: the newest that matches.',
    }),
  }),
  find: async (query, organizationId, { filter, newestOfEvent }, context) => {
    const owner = { organizationId, newestOfEvent }
    return (await findDeliveries(context, owner, readFilter(filter, context), query)).flat()
  },
})

const OWNERS = [
  ['Webhook', 'webhook_id', 'The deliveries to this webhook, newest first.'],
  ['Event', 'event_id', 'The deliveries of this event, newest first: one per webhook.'],
] as const

for (const [owner, column, description] of OWNERS) {
  addList(owner, 'deliveries', 'Delivery', {
    description,
    scope: 'deliveries:read',
    portal: filtersByWebhook,
    args: (t) => ({ filter: t.field(filterArg) }),
    find: (query, { id, organizationId }, { filter: given }, context, info) => {
      const filter = readFilter(given, context)
      const run = (uuids: string[]) =>
        findDeliveries(context, { organizationId, column, uuids }, filter, query)
      return context.perOrganization(organizationId, info, run)(id)
    },
  })
}

function readFilter(filter: DeliveryFilterInput | null | undefined, context: Context) {
  if (filter?.key) requireScope(context.caller, 'events:read')
  return readDeliveryFilter(filter)
}
