import { COMMAND_LINE } from '../../access/actor.ts'
import { ALL_ORGANIZATIONS } from '../../access/all-organizations.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../../api-keys/api-key.ts'
import type { Db } from '../../db/client.ts'
import type {
  ApiKey,
  EventType,
  OrganizationDeletion,
  Organization as OrganizationRow,
} from '../../db/generated/prisma/client.ts'
import { publicId } from '../../db/ids.ts'
import {
  createEventType,
  setEventTypeArchived,
  updateEventType,
} from '../../event-types/edit-event-type.ts'
import { findEventTypes, rereadEventType } from '../../event-types/find-event-types.ts'
import { readPayloads } from '../../event-types/read-payloads.ts'
import { notFound } from '../../lib/errors.ts'
import { deleteOrganization } from '../../organizations/deletion/delete-organization.ts'
import { findDeletion } from '../../organizations/deletion/find-deletions.ts'
import {
  createOrganization,
  getNamedOrganization,
  listOrganizations,
  updateOrganization,
} from '../../organizations/organization.ts'
import { sortMetadata } from '../../own-names/metadata.ts'
import type { Services } from '../../run/services.ts'
import type { Deletion, Installation, Key, ListedEventType, Organization } from './installation.ts'
import { onlyOrganization } from './only-organization.ts'

/** The installation in this database. */
export function databaseInstallation({ database, publishEvents }: Services): Installation {
  const { prisma } = database
  return {
    async createOrganization(organization) {
      return toOrganization(await createOrganization(prisma, organization, COMMAND_LINE))
    },
    async setRetention(organization, changes) {
      const { id } = await getNamedOrganization(prisma, organization)
      const updated = await updateOrganization(
        prisma,
        publicId('organization', id),
        changes,
        COMMAND_LINE,
      )
      return toOrganization(updated)
    },
    async setEventTypeRetention(name, retentionDays) {
      await updateEventType(prisma, name, { retentionDays }, COMMAND_LINE)
      return toListed(await rereadEventType(prisma, name, {}))
    },
    async listOrganizations() {
      return (await listOrganizations(prisma)).map(toOrganization)
    },
    async deleteOrganization(id, force) {
      await deleteOrganization(prisma, id, { force }, COMMAND_LINE)
      const deletion = await findDeletion(prisma, id, {})
      if (!deletion) throw notFound('organization', id)
      return toDeletion(deletion)
    },
    async findDeletion(id) {
      const deletion = await findDeletion(prisma, id, {})
      return deletion && toDeletion(deletion)
    },
    async createKey(organization, key) {
      const { id: organizationId } = await findOrganization(prisma, organization)
      const wanted = { ...key, organizationId, grantedBy: null }
      const created = await createApiKey(prisma, wanted, COMMAND_LINE)
      return { id: publicId('apiKey', created.key.id), token: created.token }
    },
    async listKeys(organization) {
      const owner =
        organization === undefined
          ? ALL_ORGANIZATIONS
          : (await getNamedOrganization(prisma, organization)).id
      return (await listApiKeys(prisma, owner)).map(toKey)
    },
    async revokeKey(id) {
      const { revokedAt } = await revokeApiKey(prisma, id, ALL_ORGANIZATIONS, COMMAND_LINE)
      return { revokedAt: revokedAt?.toISOString() ?? null }
    },
    async createEventType({
      schemaText,
      exampleText,
      searchKeys,
      acceptBrokenSelections,
      ...type
    }) {
      const payloads = readPayloads({ schemaText, exampleText })
      const created = { ...type, ...payloads, searchKeys: [...searchKeys] }
      await createEventType(prisma, created, COMMAND_LINE, { acceptBrokenSelections })
      return { version: 1 }
    },
    async listEventTypes(includeArchived) {
      return (await findEventTypes(prisma, { includeArchived }, {})).map(toListed)
    },
    async setEventTypeArchived(name, archived, acceptBrokenSelections) {
      const options = { acceptBrokenSelections }
      await setEventTypeArchived(prisma, name, archived, COMMAND_LINE, options)
      return toListed(await rereadEventType(prisma, name, {}))
    },
    async describeEventTypes() {
      const select = { name: true, description: true, schema: true }
      return await findEventTypes(prisma, { includeArchived: false }, { select })
    },
    async publish(organization, event) {
      const { id: organizationId } = await findOrganization(prisma, organization)
      const data: unknown = JSON.parse(event.dataText)
      const previous: unknown = JSON.parse(event.previousText ?? 'null')
      const [published] = await publishEvents(organizationId, [{ ...event, data, previous }])
      if (!published) throw new Error('No event was published.')
      return published
    },
  }
}

async function findOrganization(db: Db, name: string | undefined): Promise<OrganizationRow> {
  if (name !== undefined) return await getNamedOrganization(db, name)
  const organizations = await listOrganizations(db)
  const { row } = onlyOrganization(organizations.map((row) => ({ ...toOrganization(row), row })))
  return row
}

function toOrganization({ id, name, uid, ...row }: OrganizationRow): Organization {
  return {
    id: publicId('organization', id),
    name,
    uid,
    metadata: sortMetadata(row.metadata),
    retentionDays: row.retentionDays,
    keepResponseBodies: row.keepResponseBodies,
    keepPayloads: row.keepPayloads,
    createdAt: row.createdAt.toISOString(),
  }
}

function toDeletion(deletion: OrganizationDeletion): Deletion {
  const { requestedAt, requestedBy, deletedRows, step, finishedAt } = deletion
  return {
    requestedAt: requestedAt.toISOString(),
    requestedBy,
    deletedRows: Number(deletedRows),
    step,
    finishedAt: finishedAt?.toISOString() ?? null,
  }
}

function toListed({ archivedAt, ...row }: EventType): ListedEventType {
  const { name, description, group, version, searchKeys, retentionDays } = row
  const archived = archivedAt?.toISOString() ?? null
  return { name, description, group, version, searchKeys, retentionDays, archivedAt: archived }
}

function toKey({ name, tokenHint, scopes, ...key }: ApiKey): Key {
  return {
    id: publicId('apiKey', key.id),
    organization: { id: publicId('organization', key.organizationId) },
    name,
    tokenHint,
    scopes,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  }
}
