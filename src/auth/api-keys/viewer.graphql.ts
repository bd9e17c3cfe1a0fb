import { publicId } from '../../db/ids.ts'
import { builder } from '../../graphql/builder.ts'
import { enumOf } from '../../graphql/enum-of.ts'
import type { Caller, CallerSession } from '../access/scope.ts'

const SessionKind = enumOf<CallerSession['kind']>(
  'SessionKind',
  'The kind of a session that an application creates for a user.',
  {
    portal: 'Opens the portal.',
    frontend: "For the application's own pages.",
  },
)

const ViewerSession = builder.objectRef<CallerSession>('ViewerSession').implement({
  description: 'The limits of a portal or frontend session.',
  extensions: { portal: 'by field' },
  fields: (t) => ({
    kind: t.expose('kind', {
      type: SessionKind,
      portal: 'open',
      description: 'The kind of the session.',
    }),
    webhookId: t.id({
      portal: 'open',
      nullable: true,
      description:
        'The id of the only webhook that the session can access: `wh_…`. Null: all webhooks of the organization.',
      resolve: ({ webhookId }) => (webhookId === null ? null : publicId('webhook', webhookId)),
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      portal: 'open',
      description: 'When the session ends.',
    }),
  }),
})

const Viewer = builder.objectRef<Caller>('Viewer').implement({
  description: 'The caller, identified by its API key or session.',
  extensions: { portal: 'by field' },
  fields: (t) => ({
    organization: t.prismaField({
      portal: 'open',
      type: 'Organization',
      description:
        'The organization that requests act for: the one of the API key or, for an operator, the one named in the header `posthorn-organization`.',
      resolve: (query, { organizationId: id }, _args, { prisma }) =>
        prisma.organization.findUniqueOrThrow({ ...query, where: { id } }),
    }),
    apiKey: t.prismaField({
      portal: 'open',
      type: 'ApiKey',
      description: 'The API key of the caller.',
      resolve: (query, { keyId: id }, _args, { prisma }) =>
        prisma.apiKey.findUniqueOrThrow({ ...query, where: { id } }),
    }),
    person: t.string({
      portal: 'open',
      nullable: true,
      description:
        'The name and email address of the person who signed in to the console by OpenID Connect, such as `Name <name@example.com>`. Null for an API key or another session.',
      resolve: ({ person }) => person,
    }),
    scopes: t.field({
      type: ['Scope'],
      portal: 'open',
      description: 'The scopes of the caller, such as `webhooks:read`.',
      resolve: ({ scopes }) => [...scopes],
    }),
    session: t.field({
      portal: 'open',
      type: ViewerSession,
      nullable: true,
      description: 'The limits of the portal or frontend session. Null for an API key.',
      resolve: ({ session }) => session,
    }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description: 'The caller. Needs no scope.',
    portal: 'open',
    resolve: (_root, _args, context) => context.caller,
  }),
)
