import { builder } from '../graphql/builder.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { type FirstSteps, readFirstSteps } from './first-steps.ts'

const FirstStepsRef = builder.objectRef<FirstSteps>('FirstSteps').implement({
  description: 'What an organization has done on its way to a first delivery.',
  fields: (t) => ({
    webhookCreated: t.exposeBoolean('webhookCreated', {
      description: 'Whether the organization has a webhook.',
    }),
    testDelivered: t.exposeBoolean('testDelivered', {
      description: 'Whether a delivery has succeeded, such as that of a test event.',
    }),
    eventPublished: t.exposeBoolean('eventPublished', {
      description: 'Whether an event is stored that was published, and is no test event.',
    }),
    eventDelivered: t.exposeBoolean('eventDelivered', {
      description:
        'Whether a delivery of a published event has succeeded. A day after its success, a test event counts too.',
    }),
  }),
})

organizationFields((t) => ({
  firstSteps: t.field({
    type: FirstStepsRef,
    semanticNonNull: true,
    description: 'What the organization has done on its way to a first delivery.',
    authScopes: { scope: 'webhooks:read' },
    resolve: (parent, _args, context) =>
      readFirstSteps(context.sql, organizationOf(parent, context)),
  }),
}))
