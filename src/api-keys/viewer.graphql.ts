import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { findOrganization } from '../organizations/find-organization.ts'
import { findOwnApiKey } from './find-api-key.ts'
import type { Caller } from './scope.ts'

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'Whoever calls, as their API key tells.',
  fields: (t) => ({
    organization: t.prismaField({
      type: 'Organization',
      description:
        'The organization that the key belongs to or, for an operator, that the header `posthorn-organization` names; all else that can be asked for is its own.',
      resolve: (query, { organizationId }, _args, { prisma }) =>
        findOrganization(prisma, organizationId, query),
    }),
    apiKey: t.prismaField({
      type: 'ApiKey',
      description: 'The key itself.',
      resolve: (query, caller, _args, { prisma }) => findOwnApiKey(prisma, caller, query),
    }),
    scopes: t.stringList({
      description: 'What the key may do, such as `webhooks:read`.',
      resolve: ({ scopes }) => [...scopes],
    }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'Whoever calls. Needs no scope.',
    authScopes: { authenticated: true },
    resolve: (_root, _args, context) => callerOf(context),
  }),
)
