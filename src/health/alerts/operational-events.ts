import type { Actor } from '../../auth/access/actor.ts'
import { writeAuditEntry } from '../../auth/audit/audit-entry.ts'
import type { Db } from '../../db/client.ts'
import type { PrismaClient } from '../../db/generated/prisma/client.ts'
import { publicId } from '../../db/ids.ts'
import { getOrganization } from '../../organizations/find-organization.ts'
import { OPERATIONAL_EVENT_TYPES, operationalTypes } from './operational-event-types.ts'

export interface OperationalEvents {
  /** Whether any operational event type is in the catalogue. */
  readonly enabled: boolean
  /** The uuid of the organization that gets the operational events of all others, too. */
  readonly operatorOrganizationId: string | null
}

export async function readOperationalEvents(db: Db): Promise<OperationalEvents> {
  const [found] = await db.$queryRaw<OperationalEvents[]>`
    select operator_organization_id as "operatorOrganizationId", exists (
      select from posthorn.event_types
      where name = any (${OPERATIONAL_EVENT_TYPES}) and archived_at is null) as enabled
    from posthorn.settings`
  if (!found) throw new Error('The table posthorn.settings has no row.')
  return found
}

export interface OperationalEventsInput {
  /** Missing: as before. */
  readonly enabled?: boolean | null | undefined
  /** A public id. Null: none. Missing: as before. */
  readonly operatorOrganization?: string | null | undefined
}

/** Adds the operational event types to the catalogue, or archives them. Throws `not_found`. */
export async function setOperationalEvents(
  prisma: PrismaClient,
  { enabled, operatorOrganization }: OperationalEventsInput,
  actor: Actor,
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    await tx.$queryRaw`select from posthorn.settings for update`
    const before = await readOperationalEvents(tx)
    if (enabled) await addTypes(tx)
    if (enabled === false) await archiveTypes(tx)
    if (operatorOrganization !== undefined) {
      const id = operatorOrganization && (await getOrganization(tx, operatorOrganization)).id
      await tx.$executeRaw`update posthorn.settings set operator_organization_id = ${id}::uuid`
    }
    await writeAuditEntry(tx, actor, {
      action: 'operational_events.updated',
      organizationId: null,
      subjectId: 'operational events',
      before: audited(before),
      after: audited(await readOperationalEvents(tx)),
    })
  })
}

/** Also brings the types of an older version up to date. */
async function addTypes(tx: Db): Promise<void> {
  await tx.$executeRaw`
    insert into posthorn.event_types as t (name, description, schema, example)
    select name, description, schema, (example || posthorn.alert_words(name, example))::json
    from json_to_recordset(${JSON.stringify(operationalTypes())}::json)
      as type (name text, description text, schema json, example jsonb)
    on conflict (name) do update set description = excluded.description, schema = excluded.schema,
      example = excluded.example, archived_at = null, revision = t.revision + 1, updated_at = now()
    where (t.description, t.schema::text, t.example::text, t.archived_at)
      is distinct from (excluded.description, excluded.schema::text, excluded.example::text, null)`
}

async function archiveTypes(tx: Db): Promise<void> {
  await tx.$executeRaw`
    update posthorn.event_types set archived_at = now(), revision = revision + 1, updated_at = now()
    where name = any (${OPERATIONAL_EVENT_TYPES}) and archived_at is null`
}

function audited({ enabled, operatorOrganizationId: id }: OperationalEvents) {
  return { enabled, operatorOrganization: id && publicId('organization', id) }
}
