import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { filtersByWebhook } from '../graphql/portal-access.ts'
import { DeliveryState, ParkedReason } from '../webhooks/delivery-enums.ts'
import { parseDeliveries } from './parse-task.ts'
import {
  type DeliveryGroup,
  groupSelected,
  MAX_WEBHOOKS,
  readTaskFilter,
} from './selected-deliveries.ts'

const MAX_GROUPED = 10_000

const COMPLEXITY = 20

const DeliveryGroupRef = builder.objectRef<DeliveryGroup>('DeliveryGroup').implement({
  description: 'Deliveries in the same state, and waiting for the same reason.',
  fields: (t) => ({
    state: t.expose('state', { type: DeliveryState, description: 'The state.' }),
    parkedReason: t.field({
      type: ParkedReason,
      nullable: true,
      description: 'Why they are parked. Null if they are not parked.',
      resolve: ({ parkedReason }) => parkedReason as typeof ParkedReason.$inferType | null,
    }),
    count: t.exposeInt('count', { description: 'Their number.' }),
    webhookDeleted: t.exposeBoolean('deleted', {
      description: 'Whether their webhooks were deleted, so that none of them can be redelivered.',
    }),
    webhookIds: t.idList({
      description: `The ids of the webhooks that have most of them, at most ${MAX_WEBHOOKS}. Empty if their webhooks were deleted.`,
      resolve: ({ webhookUuids }) => webhookUuids.map((uuid) => publicId('webhook', uuid)),
    }),
  }),
})

organizationFields((t) => ({
  deliveryGroups: t.field({
    type: [DeliveryGroupRef],
    semanticNonNull: true,
    description: `Deliveries by state and by what they wait for, the largest group first: what a redelivery or cancelation would find. Reads at most ${MAX_GROUPED.toLocaleString('en')}, the oldest. A list and no connection, because there are few groups.`,
    authScopes: { scope: 'deliveries:read' },
    portal: (args, session) => (args.ids ? args : filtersByWebhook(args, session)),
    complexity: COMPLEXITY,
    args: {
      ids: t.arg.idList({ description: 'The deliveries with these ids. Default: `filter`.' }),
      filter: t.arg({
        type: 'DeliveryFilter',
        description: 'Selects deliveries, without `key`, if there are no `ids`. Default: all.',
      }),
    },
    resolve: async (organization, { ids, filter }, context) => {
      const organizationId = organizationOf(organization, context)
      const selection = ids
        ? parseDeliveries('redeliver', ids, null, null).selection
        : { filter: readTaskFilter(filter) }
      const only = callerOf(context).session?.webhookId ?? null
      return await groupSelected(context.sql, organizationId, selection, MAX_GROUPED, only)
    },
  }),
}))
