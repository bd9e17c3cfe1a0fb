import { builder } from '../../graphql/builder.ts'
import { addList } from '../../graphql/list.ts'
import type { RestrictedSession } from '../../graphql/portal-access.ts'
import { addSettingFields } from '../../graphql/setting-fields.ts'
import { findApiKeys, visibleApiKey } from './api-key.ts'
import { API_KEY_SETTINGS } from './api-key-settings.ts'

builder.prismaNode('ApiKey', {
  id: { portal: 'open', field: 'id' },
  findUnique: (id, context) => visibleApiKey(context.caller, id),
  nullable: true,
  extensions: { portal: 'by field', ofWebhook: ownKey },
  select: { id: true },
  fields: (t) => ({
    organization: t.relation('organization', {
      portal: 'open',
      description: 'The organization that the key belongs to.',
    }),
    tokenHint: t.exposeString('tokenHint', { portal: 'open' }),
    createdAt: t.expose('createdAt', {
      portal: 'open',
      type: 'DateTime',
      description: 'When the key was created.',
    }),
    revokedAt: t.expose('revokedAt', { portal: 'open', type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', { portal: 'open', type: 'DateTime', nullable: true }),
  }),
})

addSettingFields('ApiKey', API_KEY_SETTINGS)

addList('Organization', 'apiKeys', 'ApiKey', {
  description:
    'The API keys of the organization, newest first, including expired and revoked keys.',
  scope: 'keys:manage',
  find: (query, organizationId, _args, { prisma }) => findApiKeys(prisma, organizationId, query),
})

function ownKey({ caller }: RestrictedSession): ReadonlySet<string> {
  return new Set([caller.keyId])
}
