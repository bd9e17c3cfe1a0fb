import { builder } from '../../graphql/builder.ts'
import { type InputFields, mutation } from '../../graphql/mutation.ts'
import { type Limits, SCOPES } from '../access/scope.ts'
import { EditConflict, IF_REVISION } from '../audit/edit-conflict.ts'
import { createApiKey, revokeApiKey, updateApiKey } from './api-key.ts'
import { DEFAULT_LIMITS, MAX_PER_SECOND } from './limits.ts'

const LIMIT_RULE = `1 to ${MAX_PER_SECOND.toLocaleString('en')}, and at most the limit of the calling key unless that key has the scope \`admin\`.`

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

interface CreatedApiKey {
  /** A uuid. */
  readonly id: string
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
      resolve: (query, { id }, _args, { prisma }) =>
        prisma.apiKey.findUniqueOrThrow({ ...query, where: { id } }),
    }),
  }),
})

mutation('createApiKey', {
  description: 'Creates an API key of the organization.',
  scope: 'keys:manage',
  input: {
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
  },
  returns: ['createdApiKey', CreatedApiKeyRef, 'The new key, with its token.'],
  run: async ({ input }, { prisma, actor }, caller) => {
    const { organizationId } = caller
    const wanted = { ...input, organizationId, grantedBy: caller }
    const { key, token } = await createApiKey(prisma, wanted, actor)
    return { id: key.id, token }
  },
})

mutation('updateApiKey', {
  description: 'Changes the rate limits of an API key of the organization.',
  scope: 'keys:manage',
  id: 'apiKey',
  input: {
    description: 'Changes to an API key. Omitted fields keep their values.',
    fields: (t) => ({
      ...limits(t, 'Null'),
      ifRevision: t.int({ description: IF_REVISION }),
    }),
  },
  errors: [EditConflict],
  returns: ['apiKey', 'ApiKey', 'The key after the change.'],
  run: async ({ id, input }, { prisma, actor }, caller) => {
    await updateApiKey(prisma, id, input, caller, actor)
    return id
  },
})

mutation('revokeApiKey', {
  description:
    'Revokes an API key of the organization permanently. Once this mutation returns, no process accepts the key. A key can revoke itself. Revoking a revoked key changes nothing.',
  scope: 'keys:manage',
  id: 'apiKey',
  returns: ['apiKey', 'ApiKey', 'The revoked key.'],
  run: async ({ id }, { prisma, actor }, { organizationId }) => {
    await revokeApiKey(prisma, id, organizationId, actor)
    return id
  },
})
