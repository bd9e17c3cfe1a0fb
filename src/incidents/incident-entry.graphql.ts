import { builder } from '../graphql/builder.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import type { WebhookState as State } from '../webhooks/webhook-state.ts'
import { WebhookState } from '../webhooks/webhook-state-enum.ts'
import { type Action, IncidentAction } from './incident-enums.ts'

builder.prismaObject('IncidentEntry', {
  description: 'Something that happened to an incident.',
  select: { id: true },
  fields: (t) => ({
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it happened.',
      resolve: ({ id }) => timestampOf(id),
    }),
    action: t.field({
      type: IncidentAction,
      description: 'What happened.',
      select: { action: true },
      resolve: ({ action }) => action as Action,
    }),
    actor: t.exposeString('actor', { nullable: true }),
    webhookState: t.field({
      type: WebhookState,
      nullable: true,
      description: 'The state of the webhook, after it was opened or its state changed.',
      select: { webhookState: true },
      resolve: ({ webhookState }) => webhookState as State | null,
    }),
    cause: t.exposeString('cause', { nullable: true }),
    snoozedUntil: t.expose('snoozedUntil', { type: 'DateTime', nullable: true }),
    assignee: t.exposeString('assignee', { nullable: true }),
  }),
})
