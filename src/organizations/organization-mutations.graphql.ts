import { EditConflict, IF_REVISION } from '../auth/audit/edit-conflict.ts'
import { publicId } from '../db/ids.ts'
import { mutation, upsertedFields } from '../graphql/mutation.ts'
import { settingInputs } from '../graphql/setting-fields.ts'
import { createOrganization, saveOrganization } from './organization.ts'
import { ORGANIZATION_SETTINGS } from './organization-settings.ts'

const { uid: UID, ...WITHOUT_UID } = ORGANIZATION_SETTINGS

mutation('createOrganization', {
  description:
    'Creates an organization without API keys and webhooks. To create its first key, call `createApiKey` with the header `posthorn-organization`.',
  scope: 'admin',
  input: {
    description: 'An organization to create.',
    fields: (t) => settingInputs(t, ORGANIZATION_SETTINGS, 'new'),
  },
  returns: ['organization', 'Organization', 'The new organization.'],
  run: async ({ input }, { prisma, actor }) =>
    publicId('organization', (await createOrganization(prisma, input, actor)).id),
})

mutation('updateOrganization', {
  description: 'Changes an organization. If all values are set already, nothing changes.',
  scope: 'admin',
  id: 'organization',
  input: {
    description: 'Changes to an organization. Omitted fields keep their values.',
    fields: (t) => ({
      ...settingInputs(t, ORGANIZATION_SETTINGS, 'changes'),
      ifRevision: t.int({ description: IF_REVISION }),
    }),
  },
  errors: [EditConflict],
  returns: ['organization', 'Organization', 'The organization after the change.'],
  run: ({ id, input: { ifRevision, ...input } }, { prisma, actor }) =>
    saveOrganization(prisma, { id }, input, actor, ifRevision),
})

mutation('upsertOrganization', {
  description:
    'Creates the organization with this uid, or changes the existing one. If all values are set already, nothing changes, and `changed` is false. Of concurrent calls with one uid, one creates the organization.',
  scope: 'admin',
  args: (t) => ({ uid: t.string({ required: true, description: UID.description }) }),
  input: {
    description:
      'What the organization with the uid is to be. Omitted fields keep their values, or have the default in a new organization.',
    fields: (t) => settingInputs(t, WITHOUT_UID, 'new'),
  },
  returns: ['organization', 'Organization', 'The organization after the call.'],
  success: 'The organization is as it is to be.',
  fields: upsertedFields,
  run: ({ uid, input }, { prisma, actor }) => saveOrganization(prisma, { uid }, input, actor),
})
