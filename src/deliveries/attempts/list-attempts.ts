import type { Db, Sql } from '../../db/client.ts'
import type { Attempt, Prisma } from '../../db/generated/prisma/client.ts'
import { type Page, type PageBounds, pageOf, pageOrder } from '../../db/page.ts'
import { type PageOfOwner, pagesOfEach } from '../../db/pages-of-each.ts'
import { type AddValue, createParameters } from '../../db/parameters.ts'
import { type AttemptFilter, pageOfAttempts } from './attempt-filter.ts'

type Selection = Pick<Prisma.AttemptFindManyArgs, 'select' | 'include'>

interface Deps {
  readonly prisma: Db
  readonly sql: Sql
}

/** A page of an organization's attempts, newest first, with two statements. */
export async function listAttempts(
  { prisma, sql }: Deps,
  organizationId: string,
  filter: AttemptFilter,
  query: Selection & Page,
): Promise<Attempt[]> {
  const { where, take, orderBy, ...selection } = pageOf(query, 'newest first')
  const { values, add } = createParameters()
  const organization = add(organizationId)
  const bounds = { take, bound: where.id }
  const text = pageOfSome(filter, [`a.organization_id = ${organization}`], bounds, add)
  const { rows } = await sql.query<{ id: string }>(text, values)
  const ids = rows.map(({ id }) => id)
  return await prisma.attempt.findMany({
    ...selection,
    where: { id: { in: ids } },
    orderBy: { id: 'desc' },
  })
}

/** For several webhooks, reads a page of each in the order of an index, and merges them. */
function pageOfSome(
  filter: AttemptFilter,
  owned: readonly string[],
  bounds: PageBounds,
  add: AddValue,
): string {
  const { webhookUuid, webhookUuids } = filter
  if (!webhookUuids || webhookUuid) return pageOfAttempts(filter, { owned, ...bounds }, add)
  const ofWebhook = ['a.webhook_id = owner.id', ...owned]
  const page = pageOfAttempts(
    { ...filter, webhookUuids: null },
    { owned: ofWebhook, ...bounds },
    add,
  )
  return `
    select page.id from unnest(${add([...new Set(webhookUuids)])}::uuid[]) as owner (id), lateral (${page}) as page
    ${pageOrder(bounds, add)}`
}

/** A page of attempts for each of several webhooks, in their order, newest first, with two statements. */
export async function listAttemptsOfWebhooks(
  { prisma, sql }: Deps,
  organizationId: string,
  webhookUuids: readonly string[],
  filter: AttemptFilter,
  query: Selection & Page,
): Promise<Attempt[][]> {
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const { values, add } = createParameters()
  const owned = ['a.webhook_id = webhook.id', `a.organization_id = ${add(organizationId)}`]
  const page = pageOfAttempts(filter, { owned, take, bound: where.id }, add)
  const text = `
    select webhook.id as owner, array(${page}) as ids
    from unnest(${add(webhookUuids)}::uuid[]) as webhook (id)`
  const { rows } = await sql.query<PageOfOwner>(text, values)
  const found = await prisma.attempt.findMany({
    ...selection,
    where: { id: { in: rows.flatMap(({ ids }) => ids) } },
  })
  return pagesOfEach(webhookUuids, rows, found, take)
}
