import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'
import { boundConditions, type Page, pageOf } from '../db/page.ts'
import { createParameters } from '../db/parameters.ts'

type Selection = Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'>

/** SQL: where the exhausted deliveries of a task or recovery are listed. The primary keys serve each page. */
const LISTS = {
  deliveryTask: { table: 'delivery_task_items', owner: 'task_id', conditions: ['exhausted'] },
  recovery: { table: 'recovery_failures', owner: 'recovery_id', conditions: [] },
} as const

/** A page of the deliveries that a task or recovery queued and that were exhausted since, newest first. */
export async function findExhaustedDeliveries(
  { prisma, sql }: { readonly prisma: Db; readonly sql: Sql },
  organizationId: string,
  list: keyof typeof LISTS,
  ownerUuid: string,
  query: Selection & Page,
): Promise<Delivery[]> {
  const { where, take, orderBy, ...selection } = pageOf(query, 'newest first')
  const { values, add } = createParameters()
  const { table, owner, conditions: own } = LISTS[list]
  const conditions = [
    `${owner} = ${add(ownerUuid)}`,
    ...own,
    ...boundConditions('delivery_id', where.id, add),
  ]
  const { rows } = await sql.query<{ id: string }>(
    `select delivery_id as id from posthorn.${table} where ${conditions.join(' and ')}
     order by delivery_id ${take > 0 ? 'desc' : 'asc'} limit ${add(Math.abs(take))}`,
    values,
  )
  return await prisma.delivery.findMany({
    ...selection,
    where: { id: { in: rows.map(({ id }) => id) }, organizationId },
    orderBy: { id: 'desc' },
  })
}
