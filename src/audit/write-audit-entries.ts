import type { Actor } from '../access/actor.ts'
import type { Sql } from '../db/client.ts'
import { pagesOf } from '../lib/pages-of.ts'
import { type AuditEntry, actorJson } from './audit-entry.ts'

export type { AuditEntry as Entry } from './audit-entry.ts'

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
