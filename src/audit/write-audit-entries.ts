import type { Actor } from '../access/actor.ts'
import type { Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { pagesOf } from '../lib/pages-of.ts'
import { type AuditAction, actorJson } from './audit-entry.ts'

export interface Entry {
  readonly action: AuditAction
  /** The public id. Null for a subject of the installation. */
  readonly organizationId: string | null
  readonly subjectId: string
  readonly before?: object
  readonly after?: object
}

/** Writes the entries of many objects that one caller reads or changes. */
export async function writeAuditEntries(
  sql: Sql,
  actor: Actor,
  entries: readonly Entry[],
): Promise<void> {
  for (const page of pagesOf(entries)) {
    await sql.query(
      `select posthorn.write_audit_entry($1, organization_id, action, subject_id, before, after)
       from jsonb_to_recordset($2)
         as entry (organization_id uuid, action text, subject_id text, before jsonb, after jsonb)`,
      [actorJson(actor), JSON.stringify(page.map(toRow))],
    )
  }
}

function toRow({ action, organizationId, subjectId, before, after }: Entry) {
  const uuid = organizationId === null ? null : parseId('organization', organizationId)
  return { action, organization_id: uuid, subject_id: subjectId, before, after }
}
