import type { GraphQLResolveInfo } from 'graphql'
import type { Webhook } from '../db/generated/prisma/client.ts'
import { builder } from '../graphql/builder.ts'
import type { Context } from '../graphql/context.ts'
import { readSendDefaults, type SendDefaults } from './send-defaults.ts'

type EffectiveSettings = ReturnType<typeof effectiveSettings>

const EffectiveSettings = builder.objectRef<EffectiveSettings>('EffectiveSettings').implement({
  description:
    'The settings that apply to the deliveries of a webhook: its own, or the defaults of the worker that started last.',
  fields: (t) => ({
    retryScheduleSeconds: t.expose('retryScheduleSeconds', {
      type: ['Float'],
      description:
        'The delay before each retry, in seconds, without jitter. Empty if there are no retries.',
    }),
    timeoutSeconds: t.exposeFloat('timeoutSeconds', {
      description:
        'The maximum time from a ready connection to the status and headers of the response, in seconds.',
    }),
    keepResponseBodies: t.exposeBoolean('keepResponseBodies', {
      description: 'Whether webhook and organization keep the bodies of responses.',
    }),
    keepPayloads: t.exposeBoolean('keepPayloads', {
      description:
        'Whether payloads are kept after their deliveries: if both the webhook and its organization keep them.',
    }),
  }),
})

builder.prismaObjectFields('Webhook', (t) => ({
  effectiveSettings: t.field({
    type: EffectiveSettings,
    description: 'The settings that have defaults elsewhere, as they apply.',
    select: {
      ownRetrySchedule: true,
      retryScheduleSeconds: true,
      timeoutSeconds: true,
      keepResponseBodies: true,
      keepPayloads: true,
      organization: { select: { keepResponseBodies: true, keepPayloads: true } },
    },
    resolve: async (webhook, _args, context, info) => {
      return effectiveSettings(webhook, await sendDefaults(context, info))
    },
  }),
}))

/** The settings of a webhook that was given none. */
const UNSET = {
  ownRetrySchedule: false,
  retryScheduleSeconds: [],
  timeoutSeconds: null,
  keepResponseBodies: true,
  keepPayloads: true,
}

builder.queryField('defaultSettings', (t) =>
  t.field({
    type: EffectiveSettings,
    semanticNonNull: true,
    description: 'The settings that apply to a webhook with none of its own.',
    authScopes: { scope: 'webhooks:read' },
    portal: 'open',
    resolve: async (_root, _args, context) => {
      const organization = await context.prisma.organization.findUniqueOrThrow({
        where: { id: context.caller.organizationId },
      })
      return effectiveSettings({ ...UNSET, organization }, await readSendDefaults(context.sql))
    },
  }),
)

type Kept = 'keepResponseBodies' | 'keepPayloads'
type Own = 'ownRetrySchedule' | 'retryScheduleSeconds' | 'timeoutSeconds'

function effectiveSettings(
  webhook: Pick<Webhook, Own | Kept> & { readonly organization: Pick<Webhook, Kept> },
  { retryScheduleMs, attemptTimeoutMs }: SendDefaults,
) {
  const { organization } = webhook
  return {
    retryScheduleSeconds: webhook.ownRetrySchedule
      ? webhook.retryScheduleSeconds
      : retryScheduleMs.map((ms) => ms / 1_000),
    timeoutSeconds: webhook.timeoutSeconds ?? attemptTimeoutMs / 1_000,
    keepResponseBodies: webhook.keepResponseBodies && organization.keepResponseBodies,
    keepPayloads: webhook.keepPayloads && organization.keepPayloads,
  }
}

builder.prismaObjectFields('Delivery', (t) => ({
  plannedAttempts: t.field({
    type: ['DateTime'],
    description:
      'The times of the attempts that follow if each of them fails, soonest first: `nextAttemptAt`, then the rest of the retry schedule. Jitter, the duration of attempts and `Retry-After` can delay them. Empty if the delivery is final or parked.',
    select: {
      nextAttemptAt: true,
      schedulePosition: true,
      webhook: { select: { ownRetrySchedule: true, retryScheduleSeconds: true } },
    },
    resolve: async ({ webhook, nextAttemptAt, schedulePosition }, _args, context, info) => {
      if (nextAttemptAt === null) return []
      const scheduleMs = webhook.ownRetrySchedule
        ? webhook.retryScheduleSeconds.map((seconds) => seconds * 1_000)
        : (await sendDefaults(context, info)).retryScheduleMs
      let at = nextAttemptAt.getTime()
      const later = scheduleMs.slice(schedulePosition).map((delayMs) => (at += delayMs))
      return [nextAttemptAt, ...later.map((ms) => new Date(ms))]
    },
  }),
}))

/** Read once for all rows of a list. */
function sendDefaults(context: Context, info: GraphQLResolveInfo): Promise<SendDefaults> {
  const run = async (rows: null[]) => {
    const defaults = await readSendDefaults(context.sql)
    return rows.map(() => defaults)
  }
  return context.perField(info, run)(null)
}
