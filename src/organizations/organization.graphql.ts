import { hasScope } from '../auth/access/scope.ts'
import { builder } from '../graphql/builder.ts'
import { enumOf } from '../graphql/enum-of.ts'
import { addList } from '../graphql/list.ts'
import type { RestrictedSession } from '../graphql/portal-access.ts'
import { addSettingFields } from '../graphql/setting-fields.ts'
import { findNamedOrganization, findOrganizations } from './find-organization.ts'
import { ORGANIZATION_SETTINGS } from './organization-settings.ts'
import { ownNameFilters } from './own-names/own-name-filters.ts'
import { exactlyOneName } from './own-names/uid.ts'

builder.prismaNode('Organization', {
  id: { portal: 'open', field: 'id' },
  // Only an operator can read another organization.
  findUnique: (id, context) => {
    const { caller } = context
    const organization = { id, deletedAt: null }
    return hasScope(caller, 'admin')
      ? organization
      : { ...organization, AND: [{ id: caller.organizationId }] }
  },
  nullable: true,
  extensions: { portal: 'by field', ofWebhook: ownOrganization },
  select: { id: true },
  fields: (t) => ({
    revision: t.int({
      portal: 'open',
      description:
        'The revision, which each change increases. As `ifRevision` of `updateOrganization`, it reports changes by others.',
      select: { revision: true },
      resolve: ({ revision }) => Number(revision),
    }),
    createdAt: t.expose('createdAt', {
      portal: 'open',
      type: 'DateTime',
      description: 'When the organization was created.',
    }),
  }),
})

addSettingFields('Organization', ORGANIZATION_SETTINGS)

const OrganizationFilterInput = builder.inputType('OrganizationFilter', {
  description: 'Selects organizations.',
  fields: (t) => ({
    search: t.string({
      description: 'Organizations whose name or uid contains this text, ignoring case.',
    }),
    ...ownNameFilters(t, 'organization'),
  }),
})

const OrganizationOrder = enumOf('OrganizationOrder', 'The order of organizations.', {
  'newest first': 'By the time of their creation.',
  'damage first':
    'Those with the most webhooks on hold, then with the most that are failing, behind, degraded, then the others, newest first. A state that changes between two pages can repeat or skip an organization.',
})

builder.queryFields((t) => ({
  organization: t.prismaField({
    type: 'Organization',
    nullable: true,
    description: 'The organization with this id or uid, or null.',
    authScopes: { scope: 'admin' },
    args: {
      id: t.arg.id({ description: 'The id of an organization: `org_…`.' }),
      uid: t.arg.string({
        description: 'The uid of an organization, in the place of the id.',
      }),
    },
    resolve: (query, _root, args, { prisma }) =>
      findNamedOrganization(prisma, exactlyOneName(args), query),
  }),
}))

addList('Query', 'organizations', 'Organization', {
  description:
    'All organizations. Each has the fields that `Query` has for the own organization. To change one of them, an operator sends the HTTP header `posthorn-organization` with the id or uid of the organization.',
  scope: 'admin',
  args: (t) => ({
    filter: t.field({
      type: OrganizationFilterInput,
      description: 'Selects organizations. Default: all.',
    }),
    orderBy: t.field({
      type: OrganizationOrder,
      required: true,
      defaultValue: 'newest first',
      description: 'The order. Default: NEWEST_FIRST.',
    }),
  }),
  find: (query, _root, { filter, orderBy }, { prisma }) =>
    findOrganizations(prisma, filter ?? {}, query, orderBy),
})

function ownOrganization({ caller }: RestrictedSession): ReadonlySet<string> {
  return new Set([caller.organizationId])
}
