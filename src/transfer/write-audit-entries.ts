import { COMMAND_LINE } from '../access/actor.ts'
import { type AuditAction, actorJson } from '../audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { parseId } from '../db/ids.ts'
import { pagesOf } from './pages-of.ts'

export interface Entry {
  readonly action: AuditAction
  /** The public id. Null for a subject of the installation. */
  readonly organizationId: string | null
  readonly subjectId: string
  readonly after?: object
}

/** Writes the entries of many objects that the command line reads or creates. */
export async function writeAuditEntries(sql: Sql, entries: readonly Entry[]): Promise<void> {
  for (const page of pagesOf(entries)) {
    await sql.query(
      `select posthorn.write_audit_entry($1, organization_id, action, subject_id, null, after)
       from jsonb_to_recordset($2) as entry (organization_id uuid, action text, subject_id text, after jsonb)`,
      [actorJson(COMMAND_LINE), JSON.stringify(page.map(toRow))],
    )
  }
}

function toRow({ action, organizationId, subjectId, after }: Entry) {
  const uuid = organizationId === null ? null : parseId('organization', organizationId)
  return { action, organization_id: uuid, subject_id: subjectId, after }
}
