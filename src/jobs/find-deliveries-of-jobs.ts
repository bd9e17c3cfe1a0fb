import type { Db } from '../db/client.ts'
import type { Delivery, Organization, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { atLeastKey } from '../db/selection.ts'

/** The deliveries with these public ids, of any organization, in the order of the ids. */
export async function findDeliveriesOfJobs(
  db: Db,
  ids: readonly string[],
  selection: Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>,
): Promise<(Delivery | null)[]> {
  const uuids = ids.map((id) => parseId('delivery', id))
  const found = await db.delivery.findMany({
    ...selection,
    where: { id: { in: uuids.filter((uuid) => uuid !== null) } },
  })
  const byId = new Map(found.map((delivery) => [delivery.id, delivery]))
  return uuids.map((uuid) => (uuid === null ? null : (byId.get(uuid) ?? null)))
}

/** The organizations of the deliveries with these public ids, in the order of the ids. */
export async function findOrganizationsOfJobs(
  db: Db,
  ids: readonly string[],
  selection: Pick<Prisma.OrganizationFindManyArgs, 'select' | 'include'>,
): Promise<(Organization | null)[]> {
  const deliveries = await findDeliveriesOfJobs(db, ids, {
    select: { id: true, organizationId: true },
  })
  const found = await db.organization.findMany({
    ...atLeastKey(selection),
    where: { id: { in: [...new Set(deliveries.flatMap((each) => each?.organizationId ?? []))] } },
  })
  const byId = new Map(found.map((organization) => [organization.id, organization]))
  return deliveries.map((each) => (each === null ? null : (byId.get(each.organizationId) ?? null)))
}
