import type { GraphQLResolveInfo } from 'graphql'
import type { Sql } from '../db/client.ts'
import { builder } from '../graphql/builder.ts'
import type { Context } from '../graphql/context.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { WebhookState } from './delivery-enums.ts'
import {
  countStates,
  MAX_COUNTED,
  ON_TIME_RATE,
  readHistograms,
  readOnTimeRates,
  readWaiting,
  type StateCount,
  WAITING_REASONS,
  type Waiting,
} from './delivery-health.ts'

const WaitingReason = enumOf('WaitingReason', 'What a delivery waits for.', WAITING_REASONS)

const WaitingDeliveries = builder.objectRef<Waiting>('WaitingDeliveries').implement({
  description: 'The deliveries that wait for the same reason.',
  fields: (t) => ({
    reason: t.expose('reason', { type: WaitingReason, description: 'What they wait for.' }),
    count: t.exposeInt('count', {
      description: `Their number. Counts at most ${MAX_COUNTED.toLocaleString('en')}.`,
    }),
    oldestAt: t.expose('oldestAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the oldest of them was created. Null in the first seconds.',
    }),
  }),
})

const WebhookStateCount = builder.objectRef<StateCount>('WebhookStateCount').implement({
  description: 'The number of webhooks in a state.',
  fields: (t) => ({
    state: t.expose('state', { type: WebhookState, description: 'The state.' }),
    count: t.exposeInt('count', { description: 'The number of webhooks.' }),
  }),
})

/** Reads a field of several organizations together. */
const batched =
  <Value>(read: (sql: Sql, organizations: readonly string[]) => Promise<Value[]>) =>
  (id: string, _args: object, { perField, sql }: Context, info: GraphQLResolveInfo) =>
    perField(info, (ids: string[]) => read(sql, ids))(id)

/** The uuid of its organization. */
const DeliveryHealth = builder.objectRef<string>('DeliveryHealth').implement({
  description: 'Whether deliveries arrive, or whether Posthorn or endpoints fail.',
  fields: (t) => ({
    onTimeRate: t.float({
      nullable: true,
      description: ON_TIME_RATE,
      resolve: batched((sql, ids) => readOnTimeRates(sql, 'organization_id', ids)),
    }),
    firstAttemptDelay: t.field({
      type: 'Latency',
      nullable: true,
      description:
        'The delay of Posthorn, in the last hour: the time from when a delivery could be sent, which is its creation or its release from a limit or a hold, to its first attempt. Null if there were none.',
      resolve: batched((sql, ids) => readHistograms(sql, 'first_delay', ids)),
    }),
    responseTime: t.field({
      type: 'Latency',
      nullable: true,
      description: 'The duration of the attempts of the last hour. Null: none.',
      resolve: batched((sql, ids) => readHistograms(sql, 'latency', ids)),
    }),
    waiting: t.field({
      type: [WaitingDeliveries],
      description: 'The deliveries that wait, by the reasons that there are.',
      resolve: batched(readWaiting),
    }),
    webhooks: t.field({
      type: [WebhookStateCount],
      description: 'The webhooks by state. States without a webhook are left out.',
      resolve: batched(countStates),
    }),
  }),
})

organizationFields((t) => ({
  deliveryHealth: t.field({
    type: DeliveryHealth,
    semanticNonNull: true,
    description: 'Whether the deliveries of the organization arrive.',
    authScopes: { scope: 'deliveries:read' },
    resolve: (parent, _args, context) => organizationOf(parent, context),
  }),
}))
