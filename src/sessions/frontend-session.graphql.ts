import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { NotFoundError, ValidationError } from '../graphql/errors.ts'
import { organizationFields, organizationOf } from '../graphql/organization-fields.ts'
import { earliest } from './create-session.ts'
import {
  createFrontendSession,
  findFrontendSessions,
  rereadFrontendSession,
} from './frontend-session.ts'
import { sessionFields } from './session-fields.ts'

/** An API key of the kind `frontend`. Its node is an `ApiKey`, so that an id leads to one type. */
const FrontendSession = builder.prismaObject('ApiKey', {
  variant: 'FrontendSession',
  description:
    'A session for a page of your own application: limited access to GraphQL for the holder of its token.',
  select: { id: true },
  fields: (t) => ({
    id: t.id({
      description:
        'The id of the session, which is an API key: `key_…`. `revokeApiKey` ends the session immediately. The audit log has the changes made in the session under this id.',
      resolve: ({ id }) => publicId('apiKey', id),
    }),
    name: t.exposeString('name', { nullable: true, description: 'The label. Null: none.' }),
    scopes: t.expose('scopes', {
      type: ['Scope'],
      description: 'The scopes of the session.',
    }),
    webhookId: t.id({
      nullable: true,
      description:
        'The id of the only webhook that the session can access: `wh_…`. Null: all webhooks of the organization.',
      select: { webhookId: true },
      resolve: ({ webhookId }) => (webhookId === null ? null : publicId('webhook', webhookId)),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the session was created.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the session ends, unless it is revoked.',
      select: { expiresAt: true, grantor: { select: { expiresAt: true } } },
      // A CHECK constraint gives each session an expiry.
      resolve: ({ expiresAt, grantor }) => earliest(expiresAt as Date, grantor?.expiresAt),
    }),
    revokedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When the session or the API key that created it was revoked. Null: neither was.',
      select: { revokedAt: true, grantor: { select: { revokedAt: true } } },
      resolve: ({ revokedAt, grantor }) => {
        const granted = grantor?.revokedAt ?? null
        return revokedAt ? earliest(revokedAt, granted) : granted
      },
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the session was last used, to the minute. Null: never.',
    }),
  }),
})

const FrontendSessionConnection = builder.connectionObject(
  {
    type: FrontendSession,
    name: 'FrontendSessionConnection',
    description: 'A page of frontend sessions.',
  },
  { name: 'FrontendSessionEdge', description: 'A frontend session in a page.' },
)

const FrontendSessionFilter = builder.inputType('FrontendSessionFilter', {
  description: 'Selects frontend sessions.',
  fields: (t) => ({
    name: t.string({ description: 'Sessions with exactly this label.' }),
  }),
})

organizationFields((t) => ({
  frontendSessions: t.prismaConnection(
    {
      type: FrontendSession,
      cursor: 'id',
      semanticNonNull: true,
      description:
        'The frontend sessions of the organization, newest first. A session is listed until a day after it expires.',
      authScopes: { scope: 'keys:manage' },
      args: {
        filter: t.arg({
          type: FrontendSessionFilter,
          description: 'Selects sessions. Default: all.',
        }),
      },
      resolve: (query, organization, { filter }, context) =>
        findFrontendSessions(
          context.prisma,
          organizationOf(organization, context),
          filter ?? {},
          query,
        ),
    },
    FrontendSessionConnection,
  ),
}))

const CreateFrontendSessionInput = builder.inputType('CreateFrontendSessionInput', {
  description: 'A frontend session to create.',
  fields: (t) => ({
    scopes: t.field({ type: ['Scope'], ...sessionFields.scopes }),
    webhookId: t.id(sessionFields.webhookId),
    ttlSeconds: t.int(sessionFields.ttlSeconds),
    name: t.string({
      description:
        'A label of 1 to 200 characters, such as your id of the user, to find the session again. Default: none.',
    }),
  }),
})

interface Created {
  readonly id: string
  readonly token: string
}

const CreateFrontendSessionSuccess = builder
  .objectRef<Created>('CreateFrontendSessionSuccess')
  .implement({
    description: 'The session was created.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description:
          'The token: `phs_…`. Pages send it to `/graphql` as `Authorization: Bearer <token>`. It is returned only once, because Posthorn stores only its hash.',
      }),
      frontendSession: t.prismaField({
        type: FrontendSession,
        description: 'The session.',
        resolve: (query, { id }, _args, context) =>
          rereadFrontendSession(context.prisma, callerOf(context).organizationId, id, query),
      }),
    }),
  })

builder.mutationFields((t) => ({
  createFrontendSession: t.field({
    type: CreateFrontendSessionSuccess,
    description:
      'Creates a short-lived token for a page of your own application, limited to this organization, the given scopes and, optionally, one webhook. The token is valid for GraphQL only. Call this mutation from your server.',
    authScopes: { scope: 'keys:manage' },
    errors: {
      types: [ValidationError, NotFoundError],
      directResult: true,
    },
    args: {
      input: t.arg({
        type: CreateFrontendSessionInput,
        required: true,
        description: 'The session.',
      }),
    },
    resolve: (_root, { input: { webhookId = null, ...input } }, context) =>
      createFrontendSession(
        context.prisma,
        { ...input, webhookId },
        callerOf(context),
        context.actor,
      ),
  }),
}))
