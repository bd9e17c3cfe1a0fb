import { builder } from '../graphql/builder.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { filtersByWebhook } from '../graphql/portal-access.ts'
import { countSelected, readTaskFilter } from './selected-deliveries.ts'
import type { SelectionCount } from './selection.ts'

const MAX_COUNTED = 10_000

const DeliveryCount = builder.objectRef<SelectionCount>('DeliveryCount').implement({
  description: 'A number of deliveries.',
  fields: (t) => ({
    count: t.exposeInt('count', {
      description: `The number of deliveries, at most ${MAX_COUNTED.toLocaleString('en')}.`,
    }),
    countIsExact: t.exposeBoolean('exact', {
      description: 'Whether `count` is exact. If not, there are that many or more.',
    }),
  }),
})

organizationFields((t) => ({
  deliveryCount: t.field({
    type: DeliveryCount,
    semanticNonNull: true,
    description: `The number of deliveries that match a filter. Counting stops at ${MAX_COUNTED.toLocaleString('en')}.`,
    authScopes: { scope: 'deliveries:read' },
    portal: filtersByWebhook,
    args: {
      filter: t.arg({
        type: 'DeliveryFilter',
        description:
          'Selects deliveries, without `key`. `anyAttempt` has no limit here. Default: all.',
      }),
    },
    resolve: (organization, { filter }, context) => {
      const selection = { filter: readTaskFilter(filter) }
      const organizationId = organizationOf(organization, context)
      return countSelected(context.sql, organizationId, selection, MAX_COUNTED)
    },
  }),
}))
