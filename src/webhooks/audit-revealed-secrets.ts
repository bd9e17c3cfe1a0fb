import type { Actor } from '../access/actor.ts'
import { type AuditAction, actorJson } from '../audit/audit-entry.ts'
import type { Sql } from '../db/client.ts'
import { publicId } from '../db/ids.ts'
import { batched } from '../lib/batch.ts'

const ACTION: AuditAction = 'signing_secret.revealed'

interface Reader {
  readonly sql: Sql
  readonly actor: Actor
  readonly organizationId: string
}

/**
 * Records that one request reads the secrets of webhooks: each webhook once, and all of a page in one statement. Await
 * the record before the caller has a secret.
 */
export function createAuditRevealedSecrets(
  reader: Reader,
): (webhookUuid: string) => Promise<unknown> {
  const write = batched((uuids: string[]) => writeEntries(reader, uuids), {
    maxSize: 1_000,
  })
  const written = new Map<string, Promise<unknown>>()
  return (uuid) => {
    const entry = written.get(uuid) ?? write(uuid)
    written.set(uuid, entry)
    return entry
  }
}

async function writeEntries(
  { sql, actor, organizationId }: Reader,
  webhookUuids: readonly string[],
): Promise<undefined[]> {
  const ids = webhookUuids.map((uuid) => publicId('webhook', uuid))
  await sql.query({
    name: 'audit_revealed_secrets',
    text: `
      select posthorn.write_audit_entry($1::jsonb, $2::uuid, $3, webhook_id, null, null)
      from unnest($4::text[]) as webhook_id`,
    values: [actorJson(actor), organizationId, ACTION, ids],
  })
  return ids.map(() => undefined)
}
