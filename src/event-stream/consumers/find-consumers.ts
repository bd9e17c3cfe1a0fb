import type { Db } from '../../db/client.ts'
import type { Consumer, Prisma } from '../../db/generated/prisma/client.ts'
import { type Page, pageOf } from '../../db/page.ts'

type Fields = Pick<Prisma.ConsumerFindManyArgs, 'select' | 'include'>

/** A page of the organization's consumers, newest first. */
export async function findConsumers(
  db: Db,
  organizationId: string,
  query: Fields & Page,
): Promise<Consumer[]> {
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.consumer.findMany({ ...page, where: { ...where, organizationId } })
}

/** The organization's consumer with this name, or null. */
export async function findConsumerByName(
  db: Db,
  organizationId: string,
  name: string,
  query: Fields,
): Promise<Consumer | null> {
  return await db.consumer.findUnique({
    ...query,
    where: { organizationId_name: { organizationId, name } },
  })
}
