import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { NotFoundError, ValidationError } from '../graphql/errors.ts'
import { notFound } from '../lib/errors.ts'
import { findOrganizationById } from './find-organization.ts'
import { createOrganization, renameOrganization } from './organization.ts'

builder.mutationFields((t) => ({
  createOrganization: t.prismaField({
    type: 'Organization',
    nullable: true,
    description:
      'Creates an organization without API keys and webhooks. To create its first key, call `createApiKey` with the header `posthorn-organization`. Needs the scope `admin`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError],
      dataField: { name: 'organization', description: 'The new organization.' },
      result: { description: 'The organization was created.' },
      union: { description: 'The result of `createOrganization`.' },
    },
    args: {
      name: t.arg.string({ required: true, description: 'The name: 1 to 200 characters.' }),
    },
    resolve: async (query, _root, { name }, { prisma, actor }) => {
      const id = publicId('organization', (await createOrganization(prisma, { name }, actor)).id)
      const row = await findOrganizationById(prisma, id, query)
      if (!row) throw notFound('organization', id)
      return row
    },
  }),

  renameOrganization: t.prismaField({
    type: 'Organization',
    nullable: true,
    description: 'Renames an organization. Needs the scope `admin`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError, NotFoundError],
      dataField: { name: 'organization', description: 'The organization after the change.' },
      result: { description: 'The organization was renamed.' },
      union: { description: 'The result of `renameOrganization`.' },
    },
    args: {
      id: t.arg.id({ required: true, description: 'The id of the organization: `org_…`.' }),
      name: t.arg.string({ required: true, description: 'The name: 1 to 200 characters.' }),
    },
    resolve: async (query, _root, { id, name }, { prisma, actor }) => {
      await renameOrganization(prisma, id, { name }, actor)
      const row = await findOrganizationById(prisma, id, query)
      if (!row) throw notFound('organization', id)
      return row
    },
  }),
}))
