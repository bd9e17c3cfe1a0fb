import { builder } from '../../graphql/builder.ts'
import {
  EndpointUnverified,
  UNVERIFIED_REASONS,
  type UnverifiedReason,
} from './endpoint-unverified.ts'

builder.prismaObjectFields('Webhook', (t) => ({
  endpointVerifiedAt: t.expose('endpointVerifiedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the endpoint of the URL answered a challenge. Null: never.',
  }),
}))

const EndpointVerificationReason = builder.enumType('EndpointVerificationReason', {
  description: 'Why an endpoint is not verified.',
  values: Object.fromEntries(
    Object.entries(UNVERIFIED_REASONS).map(([reason, description]) => [
      reason.toUpperCase(),
      { value: reason, description },
    ]),
  ) as Record<Uppercase<UnverifiedReason>, { value: UnverifiedReason; description: string }>,
})

builder.objectType(EndpointUnverified, {
  name: 'EndpointVerificationError',
  description:
    'The endpoint of the URL did not answer its challenge (`verifyEndpoint`). Nothing was changed.',
  interfaces: ['UserError'],
  fields: (t) => ({
    reason: t.expose('reason', {
      type: EndpointVerificationReason,
      description: 'Why the endpoint is not verified. What it answered is not shown.',
    }),
  }),
})
