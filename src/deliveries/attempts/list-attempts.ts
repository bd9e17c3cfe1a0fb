import type { Db, Sql } from '../../db/client.ts'
import type { Attempt, Prisma } from '../../db/generated/prisma/client.ts'
import { type Page, pageOf } from '../../db/page.ts'
import { type PageOfOwner, pagesOfEach } from '../../db/pages-of-each.ts'
import { createParameters } from '../../db/parameters.ts'
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
  const owned = [`a.organization_id = ${add(organizationId)}`]
  const text = pageOfAttempts(filter, { owned, take, bound: where.id }, add)
  const { rows } = await sql.query<{ id: string }>(text, values)
  const ids = rows.map(({ id }) => id)
  return await prisma.attempt.findMany({
    ...selection,
    where: { id: { in: ids } },
    orderBy: { id: 'desc' },
  })
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
