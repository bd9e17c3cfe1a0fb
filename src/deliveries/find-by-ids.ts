import type { Db } from '../db/client.ts'
import type { Attempt, Delivery, Prisma } from '../db/generated/prisma/client.ts'

/** The organization's attempts with these uuids, by uuid. */
export async function findAttemptsByIds(
  db: Db,
  organizationId: string,
  uuids: readonly string[],
  selection: Pick<Prisma.AttemptFindManyArgs, 'select' | 'include'>,
): Promise<Map<string, Attempt>> {
  const where = { id: { in: [...uuids] }, organizationId }
  const rows = await db.attempt.findMany({ ...selection, where })
  return new Map(rows.map((row) => [row.id, row]))
}

/** The organization's deliveries with these uuids, by uuid. */
export async function findDeliveriesByIds(
  db: Db,
  organizationId: string,
  uuids: readonly string[],
  selection: Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>,
): Promise<Map<string, Delivery>> {
  const where = { id: { in: [...uuids] }, organizationId }
  const rows = await db.delivery.findMany({ ...selection, where })
  return new Map(rows.map((row) => [row.id, row]))
}
