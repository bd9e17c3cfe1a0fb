import { builder } from '../../graphql/builder.ts'
import { mutation } from '../../graphql/mutation.ts'
import { settingInputs } from '../../graphql/setting-fields.ts'
import { createApiKey, revokeApiKey, updateApiKey } from './api-key.ts'
import { API_KEY_SETTINGS, LIMIT_SETTINGS } from './api-key-settings.ts'

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
    fields: (t) => settingInputs(t, API_KEY_SETTINGS, 'new'),
  },
  returns: ['createdApiKey', CreatedApiKeyRef, 'The new key, with its token.'],
  run: async ({ input }, { prisma, actor }, caller) => {
    const wanted = { ...input, organizationId: caller.organizationId, grantedBy: caller }
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
    fields: (t) => settingInputs(t, LIMIT_SETTINGS, 'changes'),
  },
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
