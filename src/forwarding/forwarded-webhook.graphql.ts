import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ValidationError } from '../graphql/errors.ts'
import { rereadWebhook } from '../webhooks/find-webhooks.ts'
import {
  createForwardedWebhook,
  FORWARDED_FOR_S,
  MAX_FORWARDED_WEBHOOKS,
} from './forwarded-webhook.ts'

builder.prismaObjectFields('Webhook', (t) => ({
  forwardedUntil: t.expose('forwardedUntil', { type: 'DateTime', nullable: true }),
}))

const CreateForwardedWebhookInput = builder.inputType('CreateForwardedWebhookInput', {
  description: 'A temporary webhook for `posthorn listen --forward`.',
  fields: (t) => ({
    eventSubscriptions: t.stringList({
      description:
        'The names of the event types to receive: at least one. Default: all of the catalogue, as it is now.',
    }),
    description: t.string({
      description: 'A description of at most 1,000 characters. Default: none.',
    }),
  }),
})

builder.mutationField('createForwardedWebhook', (t) =>
  t.prismaField({
    type: 'Webhook',
    nullable: true,
    description: `Registers a temporary webhook, which needs no URL: the subscription \`requestForwarded\` receives its deliveries, and Posthorn connects to nothing. The webhook is enabled. It is deleted ${FORWARDED_FOR_S / 60} minutes after the end of the last such subscription; what was not delivered by then is canceled. An organization can have ${MAX_FORWARDED_WEBHOOKS} of them. Reading the secret also needs \`secrets:read\`.`,
    authScopes: { scope: 'webhooks:write' },
    errors: {
      types: [ValidationError],
      dataField: { name: 'webhook', description: 'The new webhook.' },
      result: { description: 'The webhook was registered.' },
      union: { description: 'The result of `createForwardedWebhook`.' },
    },
    args: {
      input: t.arg({
        type: CreateForwardedWebhookInput,
        required: true,
        description: 'The webhook.',
      }),
    },
    resolve: async (query, _root, { input }, context) => {
      const { organizationId } = callerOf(context)
      const { eventSubscriptions, description } = input
      const { id } = await createForwardedWebhook(
        { ...context.webhooks, actor: context.actor },
        organizationId,
        { ...(eventSubscriptions && { eventSubscriptions }), ...(description && { description }) },
      )
      return await rereadWebhook(context.prisma, organizationId, id, query)
    },
  }),
)
