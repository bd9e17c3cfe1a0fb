import type { Db } from '../db/client.ts'
import type { WebhookBody } from '../db/generated/prisma/client.ts'

/** The versions with these uuids, in their order. Null for a null, which is the whole event. */
export async function findBodyVersions(
  db: Db,
  uuids: readonly (string | null)[],
): Promise<(WebhookBody | null)[]> {
  const given = uuids.filter((uuid) => uuid !== null)
  const rows = await db.webhookBody.findMany({ where: { id: { in: [...new Set(given)] } } })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return uuids.map((uuid) => (uuid === null ? null : (byId.get(uuid) ?? null)))
}
