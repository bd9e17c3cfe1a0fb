import { builder } from '../graphql/builder.ts'
import { findWebhookChanges, MAX_CHANGES, type WebhookChange } from './webhook-changes.ts'

const WebhookChangeKind = builder.enumType('WebhookChangeKind', {
  description: 'What happened to a webhook.',
  values: {
    CREATED: { value: 'created', description: 'It was created.' },
    UPDATED: { value: 'updated', description: 'A setting was changed.' },
    ENABLED: { value: 'enabled', description: 'It was enabled.' },
    DISABLED: { value: 'disabled', description: 'It was disabled.' },
    SECRET_ROTATED: { value: 'secret_rotated', description: 'Its signing secret was rotated.' },
    PUT_ON_HOLD: {
      value: 'put_on_hold',
      description: 'Posthorn put it on hold, because it kept failing.',
    },
    HOLD_ENDED: {
      value: 'hold_ended',
      description: 'A probe succeeded, somebody resumed it, or its URL was changed.',
    },
  } as const,
})

const Change = builder.objectRef<WebhookChange>('WebhookChange').implement({
  description: 'A change of a webhook, to mark in a chart.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    kind: t.expose('kind', { type: WebhookChangeKind, description: 'What happened.' }),
  }),
})

builder.prismaObjectFields('Webhook', (t) => ({
  changes: t.field({
    type: [Change],
    description: `The changes, rotations and holds of the webhook in a time range, newest first. A list and no connection, because it marks a chart: at most ${MAX_CHANGES}, and \`auditLog\` has all.`,
    args: {
      since: t.arg({
        type: 'DateTime',
        required: true,
        description: 'Changes at or after this time.',
      }),
      until: t.arg({
        type: 'DateTime',
        description: 'Changes before this time. Default: now.',
      }),
    },
    complexity: { field: 1, multiplier: MAX_CHANGES },
    select: { id: true, organizationId: true },
    resolve: ({ id, organizationId }, { since, until }, context, info) => {
      const run = (webhooks: string[]) =>
        findWebhookChanges(context.sql, organizationId, webhooks, { since, until })
      return context.perOrganization(organizationId, info, run)(id)
    },
  }),
}))
