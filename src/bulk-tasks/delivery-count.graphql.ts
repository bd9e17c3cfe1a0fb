import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
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

builder.queryField('deliveryCount', (t) =>
  t.field({
    type: DeliveryCount,
    semanticNonNull: true,
    description: `The number of deliveries that match a filter. Counting stops at ${MAX_COUNTED.toLocaleString('en')}. Needs the scope \`deliveries:read\`.`,
    authScopes: { scope: 'deliveries:read' },
    portal: filtersByWebhook,
    args: {
      filter: t.arg({
        type: 'DeliveryFilter',
        description:
          'Selects deliveries, without `key`. `anyAttempt` has no limit here. Default: all.',
      }),
    },
    resolve: (_root, { filter }, context) => {
      const selection = { filter: readTaskFilter(filter) }
      const { organizationId } = callerOf(context)
      return countSelected(context.sql, organizationId, selection, MAX_COUNTED)
    },
  }),
)
