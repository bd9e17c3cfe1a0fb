import { requireScope } from '../access/scope.ts'
import { ConflictError } from '../graphql/errors.ts'
import { mutation } from '../graphql/mutation.ts'
import { testDelivery } from './test-delivery.ts'

mutation('testDelivery', {
  description:
    'Sends a test event to one webhook only: the example of an event type, or the given payload. The delivery is signed and recorded like any other, and has `isTest` set; its requests have the header `wh-test: true`. The webhook must subscribe to the event type. A test delivery to a webhook that is not enabled is sent too, once and without retries. With a payload, it also needs `events:publish`.',
  scope: 'deliveries:write',
  id: 'webhook',
  input: {
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
  },
  errors: [ConflictError],
  returns: ['delivery', 'Delivery', 'The queued delivery.'],
  run: async ({ id, input }, context, caller) => {
    if (input.data !== undefined) requireScope(caller, 'events:publish')
    return await testDelivery(context, caller.organizationId, id, input)
  },
})
