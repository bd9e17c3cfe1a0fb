import { type Limits, SCOPES } from '../access/scope.ts'
import { EditConflict, IF_REVISION } from '../audit/edit-conflict.ts'
import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { NotFoundError, resultOf, ValidationError } from '../graphql/errors.ts'
import { createApiKey, revokeApiKey } from './api-key.ts'
import { rereadApiKey } from './find-api-key.ts'
import { DEFAULT_LIMITS, MAX_PER_SECOND } from './limits.ts'
import { updateApiKey } from './update-api-key.ts'

const LIMIT_RULE = `1 to ${MAX_PER_SECOND.toLocaleString('en')}, and at most the limit of the calling key unless that key has the scope \`admin\`.`

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

function limits(t: InputFields, otherwise: string) {
  const limit = (what: string, name: keyof Limits) =>
    t.int({
      description: `The maximum number of ${what} per second, averaged over ten seconds: ${LIMIT_RULE} ${otherwise}: ${DEFAULT_LIMITS[name].toLocaleString('en')}.`,
    })
  return {
    requestsPerSecond: limit('requests', 'requestsPerSecond'),
    eventsPerSecond: limit('published events', 'eventsPerSecond'),
    deliveriesPerSecond: limit('deliveries of published events', 'deliveriesPerSecond'),
  }
}

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'An API key to create.',
  fields: (t) => ({
    scopes: t.field({
      type: ['Scope'],
      required: true,
      description: `The scopes of the key: at least one of ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}. The calling key must have each of them; \`admin\` includes all.`,
    }),
    name: t.string({ description: 'A label of 1 to 200 characters. Default: none.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the key expires. Default: never.',
    }),
    ...limits(t, 'Default'),
  }),
})

const UpdateApiKeyInput = builder.inputType('UpdateApiKeyInput', {
  description: 'Changes to an API key. Omitted fields keep their values.',
  fields: (t) => ({
    ...limits(t, 'Null'),
    ifRevision: t.int({ description: IF_REVISION }),
  }),
})

interface CreatedApiKey {
  readonly id: string
  readonly organizationId: string
  readonly token: string
}

const CreatedApiKeyRef = builder.objectRef<CreatedApiKey>('CreatedApiKey').implement({
  description: 'A new API key with its token.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description:
        'The token: `phk_…`. Send it as `Authorization: Bearer <token>`. It is returned only once, because Posthorn stores only its hash.',
    }),
    apiKey: t.prismaField({
      type: 'ApiKey',
      description: 'The key.',
      resolve: (query, { id, organizationId }, _args, { prisma }) =>
        rereadApiKey(prisma, organizationId, id, query),
    }),
  }),
})

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreatedApiKeyRef,
    description: 'Creates an API key of the organization.',
    authScopes: { scope: 'keys:manage' },
    errors: resultOf('createdApiKey', 'The new key, with its token.', [ValidationError]),
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key.' }) },
    resolve: async (_root, { input }, context) => {
      const caller = callerOf(context)
      const { organizationId } = caller
      const { name = null, expiresAt = null, ...others } = input
      const wanted = { organizationId, ...others, name, expiresAt, grantedBy: caller }
      const { key, token } = await createApiKey(context.prisma, wanted, context.actor)
      return { id: publicId('apiKey', key.id), organizationId, token }
    },
  }),

  updateApiKey: t.prismaField({
    type: 'ApiKey',
    description: 'Changes the rate limits of an API key of the organization.',
    authScopes: { scope: 'keys:manage' },
    errors: resultOf('apiKey', 'The key after the change.', [
      ValidationError,
      NotFoundError,
      EditConflict,
    ]),
    args: {
      id: t.arg.id({ required: true, description: 'The id of the key: `key_…`.' }),
      input: t.arg({ type: UpdateApiKeyInput, required: true, description: 'The changes.' }),
    },
    resolve: async (query, _root, { id, input }, context) => {
      const caller = callerOf(context)
      await updateApiKey(context.prisma, id, input, caller, context.actor)
      return await rereadApiKey(context.prisma, caller.organizationId, id, query)
    },
  }),

  revokeApiKey: t.prismaField({
    type: 'ApiKey',
    description:
      'Revokes an API key of the organization permanently. Once this mutation returns, no process accepts the key. A key can revoke itself. Revoking a revoked key changes nothing.',
    authScopes: { scope: 'keys:manage' },
    errors: resultOf('apiKey', 'The revoked key.', [NotFoundError]),
    args: { id: t.arg.id({ required: true, description: 'The id of the key: `key_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await revokeApiKey(context.prisma, id, organizationId, context.actor)
      return await rereadApiKey(context.prisma, organizationId, id, query)
    },
  }),
}))
