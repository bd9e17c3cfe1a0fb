import type { Db, Sql } from '../db/client.ts'
import type { Delivery, Prisma } from '../db/generated/prisma/client.ts'
import { boundConditions, type Page, pageOf } from '../db/page.ts'
import { createParameters } from '../db/parameters.ts'

/**
 * A page of the deliveries that a task queued and that were exhausted since, newest first. The primary key of the items
 * serves each page.
 */
export async function findExhaustedDeliveries(
  { prisma, sql }: { readonly prisma: Db; readonly sql: Sql },
  organizationId: string,
  taskUuid: string,
  query: Pick<Prisma.DeliveryFindManyArgs, 'select' | 'include'> & Page,
): Promise<Delivery[]> {
  const { where, take, orderBy, ...fields } = pageOf(query, 'newest first')
  const { values, add } = createParameters()
  const conditions = [
    `task_id = ${add(taskUuid)}`,
    'exhausted',
    ...boundConditions('delivery_id', where.id, add),
  ]
  const { rows } = await sql.query<{ id: string }>(
    `select delivery_id as id from posthorn.bulk_task_items where ${conditions.join(' and ')}
     order by delivery_id ${take > 0 ? 'desc' : 'asc'} limit ${add(Math.abs(take))}`,
    values,
  )
  return await prisma.delivery.findMany({
    ...fields,
    where: { id: { in: rows.map(({ id }) => id) }, organizationId },
    orderBy: { id: 'desc' },
  })
}
