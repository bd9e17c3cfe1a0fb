import type { WebhookState as Current } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { openStream, readOnce } from '../graphql/live-stream.ts'
import { streamsOfWebhook } from '../graphql/portal-access.ts'
import { notFound } from '../lib/errors.ts'
import type { StreamItem } from '../streams/live/stream.ts'
import { WebhookState } from './delivery-enums.ts'
import { ON_TIME_RATE, readOnTimeRates } from './delivery-health.ts'
import type { HoldReason as Reason } from './end-hold.ts'
import { findWebhooksByIds } from './find-webhooks.ts'
import { type AttemptCounts, bucketRange, readAttemptTotals } from './statistics.ts'
import {
  type HealthChange,
  healthTopic,
  PARKED_REASONS,
  type WebhookState as State,
} from './webhook-state.ts'

/** The attempts are those of the window. */
interface WebhookHealth extends Omit<Current, 'state'>, AttemptCounts {
  readonly state: State
}

const HoldReason = enumOf('HoldReason', 'Why a webhook is on hold.', {
  failing:
    'The circuit breaker is open, because at least 10 consecutive attempts failed over at least 60 seconds. Failed probes use up no attempts of the retry schedule.',
  retry_after:
    'The endpoint asked to wait: it answered 429 or 503 with a `Retry-After` header. The hold ends at `nextProbeAt`.',
})

type Cause = typeof BehindCause.$inferType
const { rate_limit, concurrency_limit, ordered } = PARKED_REASONS
const BehindCause = enumOf('BehindCause', 'What the oldest waiting delivery waits for.', {
  ...{ rate_limit, concurrency_limit, ordered },
  capacity: 'A worker of this installation: there are too few, or none runs.',
  catching_up: 'The backlog of a time on hold or disabled is being released.',
})

/** In hours. */
const HealthWindow = builder.enumType('HealthWindow', {
  description: 'A time window that ends now, within the retention of deliveries.',
  values: {
    HOUR: { value: 1, description: 'The last 60 minutes.' },
    DAY: { value: 24, description: 'The last 24 hours.' },
    WEEK: { value: 168, description: 'The last 7 days.' },
    MONTH: { value: 720, description: 'The last 30 days.' },
  } as const,
})

const WebhookHealth = builder.objectRef<WebhookHealth>('WebhookHealth').implement({
  description: 'The state of a webhook, and statistics of its attempts.',
  fields: (t) => ({
    state: t.expose('state', { type: WebhookState, description: 'The current state.' }),
    since: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when it is in this state. Null: disabled, or always in it.',
      resolve: sinceOf,
    }),
    behindCause: t.field({
      type: BehindCause,
      nullable: true,
      description: 'Why the webhook is behind. Null in another state.',
      resolve: ({ state, behindCause }) => (state === 'behind' ? (behindCause as Cause) : null),
    }),
    failedDeliveries: t.exposeInt('firstAttemptsFailed', {
      description:
        'The number of deliveries whose first attempt failed in the last 15 minutes. A few seconds old; 0 if none failed.',
    }),
    failureRate: t.float({
      nullable: true,
      description:
        'The share of `failedDeliveries` among the deliveries that were first attempted in the last 15 minutes, from 0 to 1. Null if there were none.',
      resolve: ({ firstAttempts, firstAttemptsFailed }) =>
        firstAttempts > 0 ? firstAttemptsFailed / firstAttempts : null,
    }),
    onTimeRate: t.float({
      nullable: true,
      description: ON_TIME_RATE,
      resolve: ({ webhookId }, _args, context, info) =>
        context.perField(info, (webhooks: string[]) =>
          readOnTimeRates(context.sql, 'webhook_id', webhooks),
        )(webhookId),
    }),
    oldestWaitingAt: t.expose('oldestWaitingAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the oldest delivery was created that waits for the webhook or, for more than a minute, for a worker. A few seconds old. Null if none waits.',
    }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: 'When the consecutive failures began. Null after a success.',
    }),
    consecutiveFailures: t.exposeInt('consecutiveFailures', {
      description: 'The number of failed attempts since the last success.',
    }),
    onHoldSince: t.expose('onHoldSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the webhook was put on hold. Parked deliveries use up no attempts. Null if it is not on hold.',
    }),
    onHoldReason: t.field({
      type: HoldReason,
      nullable: true,
      description: 'Why the webhook is on hold. Null if it is not on hold.',
      resolve: ({ onHoldSince, onHoldReason }) => (onHoldSince ? (onHoldReason as Reason) : null),
    }),
    nextProbeAt: t.expose('nextProbeAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the next probe is sent, if a delivery waits: 30 seconds after the circuit breaker opened, then at intervals that double up to 15 minutes. If the endpoint asked to wait, when the hold ends, or the first probe of an open circuit breaker is sent. Null if the webhook is not on hold.',
    }),
    lastError: t.string({
      nullable: true,
      description:
        'The error of the last failed attempt, such as `HTTP 503 from https://hooks.example.com`. Null if none failed, and while the webhook is healthy.',
      resolve: ({ state, lastError }) => (state === 'healthy' ? null : lastError),
    }),
    concurrencyLimit: t.exposeInt('concurrencyLimit', {
      nullable: true,
      description:
        'The current adaptive concurrency limit: the maximum number of attempts in flight per worker. It starts at 20, grows while the endpoint keeps up, and is halved when the endpoint is overloaded. Up to a few seconds old. Null if `maxInFlight` is set or no worker has reported a limit.',
    }),
    lastSuccessAt: t.expose('lastSuccessAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When an attempt last succeeded, to the minute, also before the window. Null if none has succeeded.',
    }),
    attempts: t.exposeInt('attempts', { description: 'The number of attempts in the window.' }),
    successRate: t.float({
      nullable: true,
      description: 'The share of successful attempts in the window. Null: none.',
      resolve: ({ attempts, succeeded }) => (attempts > 0 ? succeeded / attempts : null),
    }),
    latency: t.field({
      type: 'Latency',
      nullable: true,
      description: 'The duration of the attempts in the window. Null if there were none.',
      resolve: ({ attempts, latency }) => (attempts > 0 ? latency : null),
    }),
  }),
})

const HOUR_MS = 60 * 60 * 1_000

builder.prismaObjectFields('Webhook', (t) => ({
  health: t.field({
    type: WebhookHealth,
    semanticNonNull: true,
    description: 'The health of the webhook. Windows of days start at a full hour.',
    authScopes: { scope: 'deliveries:read' },
    args: {
      window: t.arg({
        type: HealthWindow,
        required: true,
        defaultValue: 24,
        description: 'The time window of the statistics. Default: DAY.',
      }),
    },
    select: { id: true, current: true },
    resolve: async ({ id, current }, { window }, context, info) => {
      const countsOf = context.perField(info, (ids: string[]) => {
        const since = new Date(Date.now() - window * HOUR_MS)
        const range = bucketRange({ since, unit: window === 1 ? 'minute' : 'hour' })
        return readAttemptTotals(context.sql, ids, range)
      })
      // It was deleted meanwhile.
      if (!current) throw notFound('webhook', publicId('webhook', id))
      return { ...current, ...(await countsOf(id)), state: current.state as State }
    },
  }),
}))

function sinceOf({ state, onHoldSince, stateSince }: WebhookHealth) {
  if (state === 'disabled') return null
  return state === 'on_hold' ? onHoldSince : stateSince
}

const WebhookHealthChange = builder
  .objectRef<StreamItem<HealthChange>>('WebhookHealthChange')
  .implement({
    description: 'A change of the state of a webhook.',
    fields: (t) => ({
      state: t.field({
        type: WebhookState,
        description: 'The new state.',
        resolve: ({ item }) => item.state,
      }),
      webhook: t.prismaField({
        type: 'Webhook',
        nullable: true,
        description: 'The webhook. Null if it was deleted in the meantime.',
        authScopes: { scope: 'webhooks:read' },
        resolve: async (query, event, _args, context, info) => {
          const { organizationId } = context.caller
          const webhooks = await readOnce(event, info, (batch) => {
            const ids = batch.map(({ webhookId }) => webhookId)
            return findWebhooksByIds(context.prisma, organizationId, ids, query)
          })
          return webhooks.get(event.item.webhookId) ?? null
        },
      }),
    }),
  })

builder.subscriptionField('webhookHealthChanged', (t) =>
  t.field({
    type: WebhookHealthChange,
    semanticNonNull: true,
    description:
      'Emits the new state of a webhook when it changes, except the first success of a new webhook. A state changes seconds after the attempt that causes it, or without an attempt. Of changes within a tenth of a second, only the last is sure to arrive. The stream does not resume: subscribe, then query `health`, also after a lost connection.',
    authScopes: { scope: 'webhooks:read' },
    portal: streamsOfWebhook,
    args: {
      webhookId: t.arg.id({
        description: 'Limits the stream to this webhook: `wh_…`. Default: all webhooks.',
      }),
    },
    subscribe: (_root, { webhookId }, context) =>
      openStream(context, { topic: healthTopic, webhookId }),
    resolve: (event) => event,
  }),
)
