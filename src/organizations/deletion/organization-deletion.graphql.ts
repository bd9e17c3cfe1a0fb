import { publicId } from '../../db/ids.ts'
import { builder } from '../../graphql/builder.ts'
import { ConflictError, NotFoundError, resultOf } from '../../graphql/errors.ts'
import { notFound } from '../../lib/errors.ts'
import { timestampOf } from '../../lib/uuid-v7.ts'
import { deleteOrganization, findDeletions } from './delete-organization.ts'

const OrganizationDeletion = builder.prismaObject('BulkTask', {
  variant: 'OrganizationDeletion',
  description: 'The deletion of an organization: its progress, and afterwards its tombstone.',
  select: { id: true, organizationId: true },
  fields: (t) => ({
    organizationId: t.id({
      description: 'The id of the organization, which cannot be found any more.',
      resolve: ({ organizationId }) => publicId('organization', organizationId),
    }),
    requestedAt: t.field({
      type: 'DateTime',
      description: 'When the organization was deleted: since then, nothing of it can be used.',
      resolve: ({ id }) => timestampOf(id),
    }),
    requestedBy: t.string({
      description: 'The person, the id of the API key, or `command line`.',
      select: { selection: true },
      resolve: ({ selection }) => Object(selection).requestedBy,
    }),
    deletedRows: t.exposeInt('changed', {
      description: 'The number of rows that were deleted so far, in all tables together.',
    }),
    step: t.string({
      nullable: true,
      description:
        'What is being deleted, such as `deliveries`: the name of a table. The deletion goes through the tables until nothing is left. Null between two passes and after the end.',
      select: { progress: true },
      resolve: ({ progress }) => Object(progress).step ?? null,
    }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When only this was left. Null until then.',
    }),
  }),
})

const OrganizationDeletionConnection = builder.connectionObject(
  {
    type: OrganizationDeletion,
    name: 'OrganizationDeletionConnection',
    description: 'A page of deletions of organizations.',
  },
  { name: 'OrganizationDeletionEdge', description: 'A deletion of an organization in a page.' },
)

const OrganizationDeletionFilter = builder.inputType('OrganizationDeletionFilter', {
  description: 'Selects deletions of organizations.',
  fields: (t) => ({
    organizationId: t.id({
      description: 'The deletion of the organization with this id: `org_…`.',
    }),
  }),
})

builder.queryField('organizationDeletions', (t) =>
  t.prismaConnection(
    {
      type: OrganizationDeletion,
      cursor: 'id',
      semanticNonNull: true,
      description:
        'The deletions of organizations, newest first: those that run, and the tombstones of the others.',
      authScopes: { scope: 'admin' },
      args: { filter: t.arg({ type: OrganizationDeletionFilter, description: 'Default: all.' }) },
      resolve: (query, _root, { filter }, { prisma }) =>
        findDeletions(prisma, filter?.organizationId, query),
    },
    OrganizationDeletionConnection,
  ),
)

const DeleteOrganizationInput = builder.inputType('DeleteOrganizationInput', {
  description: 'How to delete an organization.',
  fields: (t) => ({
    force: t.boolean({
      description:
        'Whether to delete the organization although it has enabled webhooks. Deliveries that wait are not sent. Default: false.',
    }),
  }),
})

builder.mutationField('deleteOrganization', (t) =>
  t.prismaField({
    type: OrganizationDeletion,
    description:
      'Deletes an organization with everything that is stored of it. At once, its API keys and sessions are refused everywhere, its webhooks are deleted, and nothing is published or sent for it. In the background, all its rows are deleted, until only the deletion itself is left. Nothing brings it back. A second call changes nothing.',
    authScopes: { scope: 'admin' },
    errors: resultOf('deletion', 'The deletion, which has begun.', [NotFoundError, ConflictError]),
    args: {
      id: t.arg.id({
        required: true,
        description: 'The id of an organization other than that of the caller: `org_…`.',
      }),
      input: t.arg({
        type: DeleteOrganizationInput,
        required: true,
        defaultValue: {},
        description: 'Default: only an organization without enabled webhooks.',
      }),
    },
    resolve: async (query, _root, { id, input }, { prisma, actor }) => {
      await deleteOrganization(prisma, id, { force: input.force === true }, actor)
      const [row] = await findDeletions(prisma, id, query)
      if (!row) throw notFound('organization', id)
      return row
    },
  }),
)
