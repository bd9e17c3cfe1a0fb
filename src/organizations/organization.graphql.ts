import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'

builder.prismaNode('Organization', {
  id: { field: 'id' },
  // Nobody sees another organization than their own, by whatever id.
  findUnique: (id, context) => ({ id, AND: [{ id: callerOf(context).organizationId }] }),
  nullable: true,
  select: { id: true },
  fields: (t) => ({
    name: t.exposeString('name'),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
})
