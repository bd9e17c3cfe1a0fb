import { builder } from '../../graphql/builder.ts'
import { enumOf } from '../../graphql/enum-of.ts'
import { EndpointUnverified, UNVERIFIED_REASONS } from './challenge.ts'

builder.prismaObjectFields('Webhook', (t) => ({
  endpointVerifiedAt: t.expose('endpointVerifiedAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When the endpoint of the URL answered a challenge. Null: never.',
  }),
}))

const EndpointVerificationReason = enumOf(
  'EndpointVerificationReason',
  'Why an endpoint is not verified.',
  UNVERIFIED_REASONS,
)

builder.objectType(EndpointUnverified, {
  name: 'EndpointVerificationError',
  description: 'The endpoint did not answer its challenge. Nothing was changed.',
  interfaces: ['UserError'],
  fields: (t) => ({
    reason: t.expose('reason', {
      type: EndpointVerificationReason,
      description: 'Why the endpoint is not verified. What it answered is not shown.',
    }),
  }),
})
