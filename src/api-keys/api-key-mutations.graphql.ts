import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { NotFoundError, ValidationError } from '../graphql/errors.ts'
import { publicId } from '../ids.ts'
import { createApiKey, revokeApiKey } from './api-key.ts'
import { rereadApiKey } from './find-api-key.ts'
import { SCOPES } from './scope.ts'

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'An API key to make.',
  fields: (t) => ({
    scopes: t.stringList({
      required: true,
      description: `What it may do: at least one of ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}. Only scopes that the key in use has itself; \`admin\` has all.`,
    }),
    name: t.string({ description: 'A free label of 1 to 200 characters.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'From then on it is refused. Default: it does not expire.',
    }),
  }),
})

interface CreatedApiKey {
  readonly id: string
  readonly organizationId: string
  readonly token: string
}

const CreatedApiKeyRef = builder.objectRef<CreatedApiKey>('CreatedApiKey').implement({
  description: 'An API key that was just made.',
  fields: (t) => ({
    token: t.exposeString('token', {
      description:
        'What to send as `Authorization: Bearer <token>`: `phk_…`. It is shown this once, as only its hash is kept.',
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
    nullable: true,
    description: 'Makes an API key of the organization. Needs the scope `keys:manage`.',
    authScopes: { scope: 'keys:manage' },
    errors: {
      types: [ValidationError],
      dataField: { name: 'createdApiKey', description: 'The new key, with its token.' },
      result: { description: 'The key was made.' },
      union: { description: 'What `createApiKey` answers with.' },
    },
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key.' }) },
    resolve: async (_root, { input }, context) => {
      const caller = callerOf(context)
      const { organizationId } = caller
      const { scopes, name = null, expiresAt = null } = input
      const wanted = { organizationId, scopes, name, expiresAt, grantedBy: caller }
      const { key, token } = await createApiKey(context.prisma, wanted)
      return { id: publicId('apiKey', key.id), organizationId, token }
    },
  }),

  revokeApiKey: t.prismaField({
    type: 'ApiKey',
    nullable: true,
    description:
      'Refuses an API key of the organization for good. From the moment this answers, no process accepts it; the one in use can be revoked too. Revoking it again changes nothing. Needs the scope `keys:manage`.',
    authScopes: { scope: 'keys:manage' },
    errors: {
      types: [NotFoundError],
      dataField: { name: 'apiKey', description: 'The key, revoked.' },
      result: { description: 'The key is revoked.' },
      union: { description: 'What `revokeApiKey` answers with.' },
    },
    args: { id: t.arg.id({ required: true, description: 'The id of the key: `key_…`.' }) },
    resolve: async (query, _root, { id }, context) => {
      const { organizationId } = callerOf(context)
      await revokeApiKey(context.prisma, id, organizationId)
      return await rereadApiKey(context.prisma, organizationId, id, query)
    },
  }),
}))
