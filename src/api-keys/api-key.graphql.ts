import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { visibleApiKey } from './find-api-key.ts'

builder.prismaNode('ApiKey', {
  id: { field: 'id' },
  findUnique: (id, context) => visibleApiKey(callerOf(context), id),
  nullable: true,
  select: { id: true },
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true }),
    tokenHint: t.exposeString('tokenHint'),
    scopes: t.exposeStringList('scopes'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', { type: 'DateTime', nullable: true }),
  }),
})
