import { EditConflict, IF_REVISION } from '../audit/edit-conflict.ts'
import type { Db } from '../db/client.ts'
import type { Organization } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { builder } from '../graphql/builder.ts'
import { NotFoundError, resultOf, ValidationError } from '../graphql/errors.ts'
import { notFound } from '../lib/errors.ts'
import { METADATA_RULE } from '../own-names/metadata.ts'
import { UID_RULE } from '../own-names/uid.ts'
import { upsertedFields } from '../own-names/upserted.ts'
import { KEEP_PAYLOADS, KEEP_RESPONSE_BODIES, RETENTION_DAYS } from '../retention/descriptions.ts'
import { findOrganizationById } from './find-organization.ts'
import {
  createOrganization,
  type NewOrganization,
  type OrganizationChanges,
  updateOrganization,
} from './organization.ts'
import { upsertOrganization } from './upsert-organization.ts'

const UID = `A name of your choice, unique in the installation: ${UID_RULE}.`

/** The settings of an organization but its uid, which an upsert has beside its input. */
function settings(t: InputFields, requiresName: boolean) {
  return {
    name: t.string({ required: requiresName, description: 'The name: 1 to 200 characters.' }),
    metadata: t.field({
      type: 'JSON',
      description: `Labels of your choice, all of them: ${METADATA_RULE}. Null, the default: none.`,
    }),
    retentionDays: t.int({
      description: `${RETENTION_DAYS} Null, the default: as long as POSTHORN_RETENTION says.`,
    }),
    keepResponseBodies: t.boolean({ description: `${KEEP_RESPONSE_BODIES} Default: true.` }),
    keepPayloads: t.boolean({ description: `${KEEP_PAYLOADS} Default: true.` }),
  }
}

const CreateOrganizationInput = builder.inputType('CreateOrganizationInput', {
  description: 'An organization to create.',
  fields: (t) => ({
    ...settings(t, true),
    uid: t.string({ description: `${UID} Null, the default: none.` }),
  }),
})

const UpdateOrganizationInput = builder.inputType('UpdateOrganizationInput', {
  description: 'Changes to an organization. Omitted fields keep their values.',
  fields: (t) => ({
    ...settings(t, false),
    uid: t.string({ description: `${UID} Null removes it.` }),
    ifRevision: t.int({ description: IF_REVISION }),
  }),
})

const UpsertOrganizationInput = builder.inputType('UpsertOrganizationInput', {
  description:
    'What the organization with the uid is to be. Omitted fields keep their values, or have the default in a new organization.',
  fields: (t) => settings(t, true),
})

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

builder.mutationFields((t) => ({
  createOrganization: t.prismaField({
    type: 'Organization',
    description:
      'Creates an organization without API keys and webhooks. To create its first key, call `createApiKey` with the header `posthorn-organization`.',
    authScopes: { scope: 'admin' },
    errors: resultOf('organization', 'The new organization.', [ValidationError]),
    args: {
      input: t.arg({
        type: CreateOrganizationInput,
        required: true,
        description: 'The organization.',
      }),
    },
    resolve: async (query, _root, { input }, { prisma, actor }) => {
      // Null, for example from an unset variable, means the default.
      const { id } = await createOrganization(prisma, input as NewOrganization, actor)
      return await rereadOrganization(prisma, publicId('organization', id), query)
    },
  }),

  updateOrganization: t.prismaField({
    type: 'Organization',
    description: 'Changes an organization. Values that are set already change nothing.',
    authScopes: { scope: 'admin' },
    errors: resultOf('organization', 'The organization after the change.', [
      ValidationError,
      NotFoundError,
      EditConflict,
    ]),
    args: {
      id: t.arg.id({ required: true, description: 'The id of the organization: `org_…`.' }),
      input: t.arg({ type: UpdateOrganizationInput, required: true, description: 'The changes.' }),
    },
    resolve: async (query, _root, { id, input }, { prisma, actor }) => {
      const { ifRevision, ...changes } = input
      // The domain rejects null for fields that cannot be null.
      const given = changes as OrganizationChanges
      await updateOrganization(prisma, id, given, actor, ifRevision ?? undefined)
      return await rereadOrganization(prisma, id, query)
    },
  }),

  upsertOrganization: t.prismaField({
    type: 'Organization',
    description:
      'Creates the organization with this uid, or changes the existing one. If all values are set already, nothing changes, and `changed` is false. Of concurrent calls with one uid, one creates the organization.',
    authScopes: { scope: 'admin' },
    errors: {
      ...resultOf('organization', 'The organization after the call.', [ValidationError]),
      result: {
        description: 'The organization is as it is to be.',
        fields: (t) => ({
          created: t.boolean(upsertedFields.created),
          changed: t.boolean(upsertedFields.changed),
        }),
      },
    },
    args: {
      uid: t.arg.string({ required: true, description: UID }),
      input: t.arg({
        type: UpsertOrganizationInput,
        required: true,
        description: 'What the organization is to be.',
      }),
    },
    resolve: async (query, _root, { uid, input }, { prisma, actor }) => {
      const { id, ...done } = await upsertOrganization(prisma, uid, input as NewOrganization, actor)
      return { ...(await rereadOrganization(prisma, id, query)), ...done }
    },
  }),
}))

async function rereadOrganization(
  db: Db,
  id: string,
  query: Parameters<typeof findOrganizationById>[2],
): Promise<Organization> {
  const row = await findOrganizationById(db, id, query)
  if (!row) throw notFound('organization', id)
  return row
}
