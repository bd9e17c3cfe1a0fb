import { textRule } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import type { WebhookFilter, WebhookState } from './find-webhooks.ts'
import { type AttemptCounts, bucketRange, readAttemptTotals } from './statistics.ts'

declare module '../graphql/builder.ts' {
  interface Inputs {
    WebhookFilter: WebhookFilter
  }
}

interface WebhookHealth {
  readonly state: WebhookState
  readonly failingSince: Date | null
  readonly consecutiveFailures: number
  readonly lastSuccessAt: Date | null
  readonly onHoldSince: Date | null
  readonly nextProbeAt: Date | null
  readonly lastError: string | null
  readonly concurrencyLimit: number | null
  readonly tally: AttemptCounts
}

const WebhookStateType = builder.enumType('WebhookState', {
  description: 'How a webhook fares.',
  values: {
    HEALTHY: {
      value: 'healthy',
      description: 'It is enabled, and its last attempt succeeded, or none was made yet.',
    },
    FAILING: { value: 'failing', description: 'It is enabled, and its last attempts failed.' },
    ON_HOLD: {
      value: 'on_hold',
      description:
        'It is enabled, and its circuit breaker is open, because 10 attempts or more in a row failed over at least 60 seconds. Its deliveries are parked. One probe at a time tests it; the first success releases the backlog.',
    },
    DISABLED: { value: 'disabled', description: 'It is not enabled: nothing is delivered.' },
  } as const,
})

builder.inputType('WebhookFilter', {
  description: 'Which webhooks: those that meet all of what is given.',
  fields: (t) => ({
    urlContains: t.string({
      description: 'Only those with this in their address, in upper or lower case.',
      validate: textRule,
    }),
    descriptionContains: t.string({
      description: 'Only those with this in their description, in upper or lower case.',
      validate: textRule,
    }),
    subscribesTo: t.string({
      description: 'Only those that receive the event type with this name.',
      validate: textRule,
    }),
    enabled: t.boolean({ description: 'Only those that are enabled, or that are not.' }),
    state: t.field({ type: WebhookStateType, description: 'Only those that fare so.' }),
  }),
})

/** In hours. */
const HealthWindow = builder.enumType('HealthWindow', {
  description: 'The time up to now that is looked at, at most as long as deliveries are kept.',
  values: {
    HOUR: { value: 1, description: 'The last 60 minutes.' },
    DAY: { value: 24, description: 'The last 24 hours.' },
    WEEK: { value: 168, description: 'The last 7 days.' },
    MONTH: { value: 720, description: 'The last 30 days.' },
  } as const,
})

const WebhookHealth = builder.objectRef<WebhookHealth>('WebhookHealth').implement({
  description: 'How a webhook fares, and how its attempts of some time went.',
  fields: (t) => ({
    state: t.expose('state', { type: WebhookStateType, description: 'How it fares now.' }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the first of the attempts began that have all failed since. Null if the last succeeded.',
    }),
    consecutiveFailures: t.exposeInt('consecutiveFailures', {
      description: 'How many attempts failed since one succeeded.',
    }),
    onHoldSince: t.expose('onHoldSince', {
      type: 'DateTime',
      nullable: true,
      description:
        'Since when it is on hold because it keeps failing. Its deliveries are parked, and use up no attempts. Null when it is not on hold.',
    }),
    nextProbeAt: t.expose('nextProbeAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the next probe is sent: 30 seconds after the hold began, then at intervals that double up to 15 minutes. Null when it is not on hold.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description:
        'How the last failed attempt failed, such as `HTTP 503 from https://hooks.example.com`. Null if the last attempt succeeded.',
    }),
    concurrencyLimit: t.exposeInt('concurrencyLimit', {
      nullable: true,
      description:
        'How many attempts to it may be in flight in each worker now, where the limit adapts: it starts at 20, grows while the endpoint keeps up and is halved when the endpoint is overloaded. As of a few seconds ago. Null when no worker has reported one, as where `maxInFlight` is set.',
    }),
    lastSuccessAt: t.expose('lastSuccessAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When an attempt last succeeded, to the minute, however long ago. Null if none did.',
    }),
    attempts: t.int({
      description: 'How many attempts were made in the window.',
      resolve: ({ tally }) => tally.attempts,
    }),
    successRate: t.float({
      nullable: true,
      description:
        'The part of the attempts in the window that succeeded, from 0 to 1. Null when there were none.',
      resolve: ({ tally }) => (tally.attempts > 0 ? tally.succeeded / tally.attempts : null),
    }),
    latency: t.field({
      type: 'Latency',
      nullable: true,
      description: 'How long the attempts in the window took. Null when there were none.',
      resolve: ({ tally }) => (tally.attempts > 0 ? tally.latency : null),
    }),
  }),
})

const HOUR_MS = 60 * 60 * 1_000

builder.prismaObjectFields('Webhook', (t) => ({
  health: t.field({
    type: WebhookHealth,
    nullable: true,
    description:
      'How it fares. Windows of a day and more begin at a whole hour. Needs the scope `deliveries:read`.',
    authScopes: { scope: 'deliveries:read' },
    args: {
      window: t.arg({
        type: HealthWindow,
        required: true,
        defaultValue: 24,
        description: 'Which attempts are counted.',
      }),
    },
    select: { enabled: true, condition: true, schedule: true },
    resolve: async ({ id, enabled, condition, schedule }, { window }, context, info) => {
      const tallyOf = context.perField(info, (ids: string[]) => {
        const since = new Date(Date.now() - window * HOUR_MS)
        return readAttemptTotals(
          context.sql,
          ids,
          bucketRange({ since, unit: window === 1 ? 'minute' : 'hour' }),
        )
      })
      const failingSince = condition?.failingSince ?? null
      return {
        state: stateOf(enabled, schedule?.onHoldSince ?? null, failingSince),
        failingSince,
        consecutiveFailures: condition?.consecutiveFailures ?? 0,
        onHoldSince: schedule?.onHoldSince ?? null,
        nextProbeAt: schedule?.nextProbeAt ?? null,
        lastError: condition?.lastError ?? null,
        concurrencyLimit: schedule?.concurrencyLimit ?? null,
        lastSuccessAt: condition?.lastSuccessAt ?? null,
        tally: await tallyOf(id),
      }
    },
  }),
}))

function stateOf(
  enabled: boolean,
  onHoldSince: Date | null,
  failingSince: Date | null,
): WebhookState {
  if (!enabled) return 'disabled'
  if (onHoldSince) return 'on_hold'
  return failingSince ? 'failing' : 'healthy'
}
