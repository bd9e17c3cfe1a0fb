import type { Caller, Portal } from '../access/scope.ts'
import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { findOrganization } from '../organizations/find-organization.ts'
import { findOwnApiKey } from './find-api-key.ts'

const PortalViewer = builder.objectRef<Portal>('PortalViewer').implement({
  description: 'What holds for a session of the portal.',
  extensions: { portal: 'by field' },
  fields: (t) => ({
    webhookId: t.id({
      portal: 'open',
      nullable: true,
      description:
        'The id of the only webhook that it may see: `wh_…`. Null: all of the organization.',
      resolve: ({ webhookId }) => (webhookId === null ? null : publicId('webhook', webhookId)),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      portal: 'open',
      description: 'When it ends.',
    }),
  }),
})

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'Whoever calls, as their API key tells.',
  extensions: { portal: 'by field' },
  fields: (t) => ({
    organization: t.prismaField({
      portal: 'open',
      type: 'Organization',
      description:
        'The organization that the key belongs to or, for an operator, that the header `posthorn-organization` names; all else that can be asked for is its own.',
      resolve: (query, { organizationId }, _args, { prisma }) =>
        findOrganization(prisma, organizationId, query),
    }),
    apiKey: t.prismaField({
      portal: 'open',
      type: 'ApiKey',
      description: 'The key itself.',
      resolve: (query, caller, _args, { prisma }) => findOwnApiKey(prisma, caller, query),
    }),
    scopes: t.stringList({
      portal: 'open',
      description: 'What the key may do, such as `webhooks:read`.',
      resolve: ({ scopes }) => [...scopes],
    }),
    portal: t.field({
      portal: 'open',
      type: PortalViewer,
      nullable: true,
      description: 'What holds for a session of the portal. Null for an API key.',
      resolve: ({ portal }) => portal ?? null,
    }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'Whoever calls. Needs no scope.',
    authScopes: { authenticated: true },
    portal: 'open',
    resolve: (_root, _args, context) => callerOf(context),
  }),
)
