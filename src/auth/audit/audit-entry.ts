import { isDeepStrictEqual } from 'node:util'
import type { Db, Sql } from '../../db/client.ts'
import { pagesOf } from '../../lib/pages-of.ts'
import type { Actor } from '../access/actor.ts'

/** The audited actions. */
export const AUDIT_ACTIONS = [
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.probed',
  'webhook.resumed',
  'signing_secret.rotated',
  'signing_secret.revealed',
  'custom_headers.revealed',
  'api_key.created',
  'api_key.updated',
  'api_key.revoked',
  'portal_session.created',
  'frontend_session.created',
  'session.started',
  'session.ended',
  'incident.updated',
  'delivery.tested',
  'delivery.redelivered',
  'delivery.canceled',
  'bulk_task.started',
  'bulk_task.canceled',
  'event_type.created',
  'event_type.updated',
  'event_type.archived',
  'event_type.unarchived',
  'organization.created',
  'organization.updated',
  'organization.deleted',
  'encryption.rotated',
  'operational_events.updated',
  'alert_address.added',
  'alert_address.updated',
  'alert_address.removed',
  'alert_address.confirmed',
  'alert_address.unsubscribed',
  'consumer.created',
  'consumer.deleted',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** One change, or the reading of a secret. No field can contain a secret. */
export interface AuditEntry {
  readonly action: AuditAction
  /** The uuid of the organization that owns the subject. Null for a subject of the installation. */
  readonly organizationId: string | null
  /** The public id or the name of the changed object. */
  readonly subjectId: string
  /** The changed fields before the change. */
  readonly before?: object | null
  /** The changed fields after the change. */
  readonly after?: object | null
}

/** Records a change. Call it in the transaction that makes the change. */
export async function writeAuditEntry(
  tx: Db,
  actor: Actor,
  { action, organizationId, subjectId, before = null, after = null }: AuditEntry,
): Promise<void> {
  await tx.$executeRaw`
    select posthorn.write_audit_entry(${actorJson(actor)}::jsonb, ${organizationId}::uuid, ${action}, ${subjectId},
      ${json(before)}::jsonb, ${json(after)}::jsonb)`
}

/** The actor as a parameter of `posthorn.write_audit_entry`, for statements that audit their own changes. */
export function actorJson(actor: Actor): string {
  const { source, apiKeyId, person, address, forwardedFor, userAgent } = actor
  return JSON.stringify({
    source,
    api_key_id: apiKeyId,
    person,
    address,
    forwarded_for: forwardedFor,
    user_agent: userAgent,
  })
}

/** The fields of `after` that differ from `before`. `same` knows of some whether they are equal. */
export function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  same: Readonly<Record<string, boolean>> = {},
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const changed = Object.keys(after).filter(
    (name) => !(same[name] ?? isDeepStrictEqual(before[name], after[name])),
  )
  const pick = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(changed.map((name) => [name, fields[name] ?? null]))
  return { before: pick(before), after: pick(after) }
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

/** Writes the entries of many objects that one caller reads or changes. */
export async function writeAuditEntries(
  sql: Sql,
  actor: Actor,
  entries: readonly AuditEntry[],
): Promise<void> {
  for (const page of pagesOf(entries)) {
    await sql.query(
      `select posthorn.write_audit_entry($1, "organizationId", action, "subjectId", before, after)
       from jsonb_to_recordset($2)
         as entry ("organizationId" uuid, action text, "subjectId" text, before jsonb, after jsonb)`,
      [actorJson(actor), JSON.stringify(page)],
    )
  }
}
