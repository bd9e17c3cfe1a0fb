import { requireScope } from '../access/scope.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { ConflictError, NotFoundError, resultOf, ValidationError } from '../graphql/errors.ts'
import { changesNode } from '../graphql/portal-access.ts'
import { rereadDelivery } from './find-deliveries.ts'
import { testDelivery } from './test-delivery.ts'

const TestDeliveryInput = builder.inputType('TestDeliveryInput', {
  description: 'What a test delivery sends.',
  fields: (t) => ({
    eventType: t.string({
      required: true,
      description: 'The name of an event type that the webhook subscribes to.',
    }),
    data: t.field({
      type: 'JSON',
      description:
        'The payload: at most 256 KiB as JSON. It must match the schema of the event type. Default: the example of the event type, which must then have one. A payload needs the scope `events:publish`, because it arrives signed.',
    }),
  }),
})

builder.mutationFields((t) => ({
  testDelivery: t.prismaField({
    type: 'Delivery',
    description:
      'Sends a test event to one webhook only: the example of an event type, or the given payload. The delivery is signed and recorded like any other, and has `isTest` set; its requests have the header `wh-test: true`. The webhook must subscribe to the event type. A test delivery to a webhook that is not enabled is sent too, once and without retries. With a payload, it also needs `events:publish`.',
    authScopes: { scope: 'deliveries:write' },
    portal: changesNode('webhook'),
    errors: resultOf('delivery', 'The queued delivery.', [
      ValidationError,
      NotFoundError,
      ConflictError,
    ]),
    args: {
      id: t.arg.id({ required: true, description: 'The id of the webhook: `wh_…`.' }),
      input: t.arg({ type: TestDeliveryInput, required: true, description: 'The event type.' }),
    },
    resolve: async (query, _root, { id: webhookId, input }, context) => {
      const caller = callerOf(context)
      if (input.data !== undefined) requireScope(caller, 'events:publish')
      const id = await testDelivery(context, caller.organizationId, webhookId, input)
      return await rereadDelivery(context.prisma, caller.organizationId, id, query)
    },
  }),
}))
