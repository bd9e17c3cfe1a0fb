import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { NotFoundError, ValidationError } from '../graphql/errors.ts'
import type { CreatedSession } from './create-session.ts'
import { createFrontendSession } from './frontend-session.ts'
import { sessionFields } from './session-fields.ts'

const FrontendSession = builder.objectRef<CreatedSession>('FrontendSession').implement({
  description:
    'A session for a page of your own application: limited access to GraphQL for the holder of its token.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description:
        'The id of the session, which is an API key: `key_…`. `revokeApiKey` ends the session immediately. The audit log has the changes made in the session under this id.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When the session ends, unless it is revoked.',
    }),
  }),
})

const CreateFrontendSessionInput = builder.inputType('CreateFrontendSessionInput', {
  description: 'A frontend session to create.',
  fields: (t) => ({
    scopes: t.field({ type: ['Scope'], ...sessionFields.scopes }),
    webhookId: t.id(sessionFields.webhookId),
    ttlSeconds: t.int(sessionFields.ttlSeconds),
    name: t.string({
      description:
        'A label of 1 to 200 characters, such as your id of the user, which the audit log has with the id. Default: none.',
    }),
  }),
})

const CreateFrontendSessionSuccess = builder
  .objectRef<CreatedSession>('CreateFrontendSessionSuccess')
  .implement({
    description: 'The session was created.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description:
          'The token: `phs_…`. Pages send it to `/graphql` as `Authorization: Bearer <token>`. It is returned only once, because Posthorn stores only its hash.',
      }),
      frontendSession: t.field({
        type: FrontendSession,
        description: 'The session.',
        resolve: (session) => session,
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
