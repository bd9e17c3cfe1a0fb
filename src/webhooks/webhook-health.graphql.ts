import { textRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { openStream, readOnce } from '../graphql/live-stream.ts'
import { streamsOfWebhook } from '../graphql/portal-access.ts'
import type { StreamItem } from '../live/subscriber.ts'
import type { HoldReason as Reason } from './end-hold.ts'
import {
  findWebhooksByIds,
  type WebhookState as State,
  type WebhookFilter,
} from './find-webhooks.ts'
import { type HealthChange, healthTopic } from './health-topic.ts'
import { type AttemptCounts, bucketRange, readAttemptTotals } from './statistics.ts'

declare module '../graphql/builder.ts' {
  interface Inputs {
    WebhookFilter: WebhookFilter
  }
}

interface WebhookHealth {
  readonly state: State
  readonly failingSince: Date | null
  readonly consecutiveFailures: number
  readonly lastSuccessAt: Date | null
  readonly onHoldSince: Date | null
  readonly onHoldReason: Reason | null
  readonly nextProbeAt: Date | null
  readonly lastError: string | null
  readonly concurrencyLimit: number | null
  readonly counts: AttemptCounts
}

const WebhookState = builder.enumType('WebhookState', {
  description: 'The state of a webhook.',
  values: {
    NO_DELIVERIES: {
      value: 'no_deliveries',
      description: 'Enabled, and no attempt was made yet.',
    },
    HEALTHY: { value: 'healthy', description: 'Enabled, and the last attempt succeeded.' },
    FAILING: { value: 'failing', description: 'Enabled, and the last attempt failed.' },
    ON_HOLD: {
      value: 'on_hold',
      description:
        'Enabled, and deliveries are parked, because the endpoint keeps failing or asked to wait: see `onHoldReason`. One probe at a time tests the endpoint; the first success releases the backlog.',
    },
    DISABLED: { value: 'disabled', description: 'Not enabled. Nothing is delivered.' },
  } as const,
})

const HoldReason = builder.enumType('HoldReason', {
  description: 'Why a webhook is on hold.',
  values: {
    FAILING: {
      value: 'failing',
      description:
        'The circuit breaker is open, because at least 10 consecutive attempts failed over at least 60 seconds. Failed probes use up no attempts of the retry schedule.',
    },
    RETRY_AFTER: {
      value: 'retry_after',
      description:
        'The endpoint asked to wait: it answered 429 or 503 with a `Retry-After` header. A failed probe is retried by the retry schedule of its delivery. If no delivery waits at `nextProbeAt`, the hold ends.',
    },
  } as const,
})

builder.inputType('WebhookFilter', {
  description: 'Selects webhooks. A webhook must match all given fields.',
  fields: (t) => ({
    search: t.string({
      description: 'Webhooks whose URL or description contains this text, ignoring case.',
      validate: textRule,
    }),
    urlContains: t.string({
      description: 'Webhooks whose URL contains this text, ignoring case.',
      validate: textRule,
    }),
    descriptionContains: t.string({
      description: 'Webhooks whose description contains this text, ignoring case.',
      validate: textRule,
    }),
    subscribesTo: t.string({
      description: 'Webhooks that subscribe to the event type with this name.',
      validate: textRule,
    }),
    enabled: t.boolean({ description: 'Webhooks that are enabled (true) or disabled (false).' }),
    state: t.field({ type: WebhookState, description: 'Webhooks in this state.' }),
  }),
})

/** In hours. */
const HealthWindow = builder.enumType('HealthWindow', {
  description:
    'A time window that ends now. It does not reach further back than the retention of deliveries.',
  values: {
    HOUR: { value: 1, description: 'The last 60 minutes.' },
    DAY: { value: 24, description: 'The last 24 hours.' },
    WEEK: { value: 168, description: 'The last 7 days.' },
    MONTH: { value: 720, description: 'The last 30 days.' },
  } as const,
})

const WebhookHealth = builder.objectRef<WebhookHealth>('WebhookHealth').implement({
  description: 'The state of a webhook, and statistics of its attempts in a time window.',
  fields: (t) => ({
    state: t.expose('state', { type: WebhookState, description: 'The current state.' }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the first of the consecutive failures was recorded. Null if the last attempt succeeded.',
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
    onHoldReason: t.expose('onHoldReason', {
      type: HoldReason,
      nullable: true,
      description: 'Why the webhook is on hold. Null if it is not on hold.',
    }),
    nextProbeAt: t.expose('nextProbeAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the next probe is sent, if a delivery waits: 30 seconds after the circuit breaker opened, or at the time that the endpoint asked for, then at intervals that double up to 15 minutes. Never before the time that the endpoint asked for. Null if the webhook is not on hold.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description:
        'The error of the last attempt, such as `HTTP 503 from https://hooks.example.com`. Null if it succeeded.',
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
    attempts: t.int({
      description: 'The number of attempts in the window.',
      resolve: ({ counts }) => counts.attempts,
    }),
    successRate: t.float({
      nullable: true,
      description:
        'The share of successful attempts in the window, from 0 to 1. Null if there were no attempts.',
      resolve: ({ counts }) => (counts.attempts > 0 ? counts.succeeded / counts.attempts : null),
    }),
    latency: t.field({
      type: 'Latency',
      nullable: true,
      description: 'The duration of the attempts in the window. Null if there were no attempts.',
      resolve: ({ counts }) => (counts.attempts > 0 ? counts.latency : null),
    }),
  }),
})

const HOUR_MS = 60 * 60 * 1_000

builder.prismaObjectFields('Webhook', (t) => ({
  health: t.field({
    type: WebhookHealth,
    semanticNonNull: true,
    description:
      'The health of the webhook. Windows of a day or more start at a full hour. Needs the scope `deliveries:read`.',
    authScopes: { scope: 'deliveries:read' },
    args: {
      window: t.arg({
        type: HealthWindow,
        required: true,
        defaultValue: 24,
        description: 'The time window of the statistics. Default: DAY.',
      }),
    },
    select: { enabled: true, condition: true, schedule: true },
    resolve: async ({ id, enabled, condition, schedule }, { window }, context, info) => {
      const countsOf = context.perField(info, (ids: string[]) => {
        const since = new Date(Date.now() - window * HOUR_MS)
        return readAttemptTotals(
          context.sql,
          ids,
          bucketRange({ since, unit: window === 1 ? 'minute' : 'hour' }),
        )
      })
      const failingSince = condition?.failingSince ?? null
      return {
        state: stateOf(enabled, schedule?.onHoldSince ?? null, condition),
        failingSince,
        consecutiveFailures: condition?.consecutiveFailures ?? 0,
        onHoldSince: schedule?.onHoldSince ?? null,
        onHoldReason: schedule?.onHoldSince ? (schedule.onHoldReason as Reason) : null,
        nextProbeAt: schedule?.nextProbeAt ?? null,
        lastError: condition?.lastError ?? null,
        concurrencyLimit: schedule?.concurrencyLimit ?? null,
        lastSuccessAt: condition?.lastSuccessAt ?? null,
        counts: await countsOf(id),
      }
    },
  }),
}))

/** The condition is null before the first attempt. */
function stateOf(
  enabled: boolean,
  onHoldSince: Date | null,
  condition: { readonly failingSince: Date | null } | null,
): State {
  if (!enabled) return 'disabled'
  if (onHoldSince) return 'on_hold'
  if (!condition) return 'no_deliveries'
  return condition.failingSince ? 'failing' : 'healthy'
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
        description:
          'The webhook. Null if it was deleted in the meantime. Needs the scope `webhooks:read`.',
        authScopes: { scope: 'webhooks:read' },
        resolve: async (query, event, _args, context, info) => {
          const { organizationId } = callerOf(context)
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
      'Emits the new state of a webhook when it changes, except the first success of a new webhook. Of changes within a tenth of a second, only the last is sure to arrive. Needs the scope `webhooks:read`.',
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
