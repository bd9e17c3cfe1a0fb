import type { Actor } from '../access/actor.ts'
import { changedFields, writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { Incident, PrismaClient } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { DomainError, type FieldIssue, invalid, notFound } from '../lib/errors.ts'
import { notifyOnCommit } from '../live/notify.ts'

/** Changes of an incident. Undefined fields keep their values. */
export interface IncidentChanges {
  readonly acknowledged?: boolean | null | undefined
  /** Null ends the snooze. */
  readonly snoozedUntil?: Date | null | undefined
  /** A free name. Null: nobody. */
  readonly assignee?: string | null | undefined
}

const MAX_SNOOZE_DAYS = 90
const DAY_MS = 86_400_000

/**
 * Acknowledges, snoozes or assigns an incident, with its history and the audit log. Values that are there already change
 * nothing. Throws `not_found`, `invalid`, or `conflict` if the incident is closed.
 */
export async function updateIncident(
  prisma: PrismaClient,
  organizationId: string,
  id: string,
  changes: IncidentChanges,
  actor: Actor,
): Promise<void> {
  const now = new Date()
  const { acknowledged, snoozedUntil, assignee } = parse(changes, now)
  await actForOrganization(prisma, organizationId, async (tx) => {
    const before = await lockIncident(tx, organizationId, id)
    if (before.closedAt) {
      throw new DomainError('conflict', `The incident ${id} is closed, so it cannot be changed.`)
    }
    const by = await nameOf(tx, actor)
    const data = {
      ...(acknowledged !== undefined &&
        acknowledged !== (before.acknowledgedAt !== null) && {
          acknowledgedAt: acknowledged ? now : null,
          acknowledgedBy: acknowledged ? by : null,
        }),
      ...(snoozedUntil !== undefined && {
        snoozedUntil,
        snoozedState: snoozedUntil && before.webhookState,
      }),
      ...(assignee !== undefined && { assignee }),
    }
    const audited = changedFields(auditedFields(before), auditedFields({ ...before, ...data }))
    const changed = Object.keys(audited.after)
    if (changed.length === 0) return
    await tx.incident.update({ where: { id: before.id }, data })
    const entries = changed.map((field) => ({
      incidentId: before.id,
      actor: by,
      ...entryOf(field, audited.after[field]),
    }))
    await tx.incidentEntry.createMany({ data: entries })
    await writeAuditEntry(tx, actor, {
      action: 'incident.updated',
      organizationId,
      subjectId: id,
      ...audited,
    })
    await notifyOnCommit(tx, organizationId)
  })
}

function parse({ acknowledged, snoozedUntil, assignee }: IncidentChanges, now: Date) {
  const issues: FieldIssue[] = []
  const reject = (field: string, detail: string) =>
    issues.push({ path: [field], code: 'invalid_value', detail: `${field} ${detail}.` })
  if (acknowledged === null) reject('acknowledged', 'must be true or false')
  if (snoozedUntil) {
    const leftMs = snoozedUntil.getTime() - now.getTime()
    if (leftMs <= 0 || leftMs > MAX_SNOOZE_DAYS * DAY_MS) {
      reject('snoozedUntil', `must be in the future, within ${MAX_SNOOZE_DAYS} days`)
    }
  }
  const name = assignee?.trim()
  if (name !== undefined && (name === '' || [...name].length > 100)) {
    reject('assignee', 'must have 1 to 100 characters; null removes the name')
  }
  if (issues.length > 0) throw invalid(issues)
  return {
    acknowledged: acknowledged ?? undefined,
    snoozedUntil,
    assignee: assignee === null ? null : name,
  }
}

async function lockIncident(tx: Db, organizationId: string, id: string): Promise<Incident> {
  const uuid = parseId('incident', id)
  if (!uuid) throw notFound('incident', id)
  await tx.$queryRaw`select from posthorn.incidents where id = ${uuid}::uuid for update`
  const row = await tx.incident.findFirst({ where: { id: uuid, organizationId } })
  if (!row) throw notFound('incident', id)
  return row
}

/** The person, or the name of the API key. */
async function nameOf(tx: Db, { person, apiKeyId, source }: Actor): Promise<string> {
  if (person !== null || apiKeyId === null) return person ?? source
  const key = await tx.apiKey.findUnique({ where: { id: apiKeyId } })
  return key?.name ?? `${key?.tokenHint ?? 'API key'}…`
}

function auditedFields({ acknowledgedAt, snoozedUntil, assignee }: Incident) {
  return { acknowledged: acknowledgedAt !== null, snoozedUntil, assignee }
}

/** The entry of the history for a changed field. */
function entryOf(field: string, value: unknown) {
  switch (field) {
    case 'acknowledged':
      return { action: value ? 'acknowledged' : 'unacknowledged' }
    case 'snoozedUntil':
      return value === null
        ? { action: 'snooze_ended' }
        : { action: 'snoozed', snoozedUntil: value as Date }
    default:
      return value === null
        ? { action: 'unassigned' }
        : { action: 'assigned', assignee: value as string }
  }
}
