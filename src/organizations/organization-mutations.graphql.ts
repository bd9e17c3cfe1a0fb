import { EditConflict } from '../audit/edit-conflict.ts'
import { IF_REVISION } from '../audit/if-revision.ts'
import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { NotFoundError, ValidationError } from '../graphql/errors.ts'
import { notFound } from '../lib/errors.ts'
import { findOrganizationById } from './find-organization.ts'
import { createOrganization, renameOrganization } from './organization.ts'

const name = (t: InputFields) =>
  t.string({ required: true, description: 'The name: 1 to 200 characters.' })

const CreateOrganizationInput = builder.inputType('CreateOrganizationInput', {
  description: 'An organization to create.',
  fields: (t) => ({ name: name(t) }),
})

const RenameOrganizationInput = builder.inputType('RenameOrganizationInput', {
  description: 'The new name of an organization.',
  fields: (t) => ({ name: name(t), ifRevision: t.int({ description: IF_REVISION }) }),
})

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

builder.mutationFields((t) => ({
  createOrganization: t.prismaField({
    type: 'Organization',
    nullable: true,
    description:
      'Creates an organization without API keys and webhooks. To create its first key, call `createApiKey` with the header `posthorn-organization`.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError],
      dataField: { name: 'organization', description: 'The new organization.' },
      result: { description: 'The organization was created.' },
      union: { description: 'The result of `createOrganization`.' },
    },
    args: {
      input: t.arg({
        type: CreateOrganizationInput,
        required: true,
        description: 'The organization.',
      }),
    },
    resolve: async (query, _root, { input }, { prisma, actor }) => {
      const id = publicId('organization', (await createOrganization(prisma, input, actor)).id)
      const row = await findOrganizationById(prisma, id, query)
      if (!row) throw notFound('organization', id)
      return row
    },
  }),

  renameOrganization: t.prismaField({
    type: 'Organization',
    nullable: true,
    description: 'Renames an organization.',
    authScopes: { scope: 'admin' },
    errors: {
      types: [ValidationError, NotFoundError, EditConflict],
      dataField: { name: 'organization', description: 'The organization after the change.' },
      result: { description: 'The organization was renamed.' },
      union: { description: 'The result of `renameOrganization`.' },
    },
    args: {
      id: t.arg.id({ required: true, description: 'The id of the organization: `org_…`.' }),
      input: t.arg({
        type: RenameOrganizationInput,
        required: true,
        description: 'The new name.',
      }),
    },
    resolve: async (query, _root, { id, input }, { prisma, actor }) => {
      const { ifRevision, ...fields } = input
      await renameOrganization(prisma, id, fields, actor, ifRevision ?? undefined)
      const row = await findOrganizationById(prisma, id, query)
      if (!row) throw notFound('organization', id)
      return row
    },
  }),
}))
