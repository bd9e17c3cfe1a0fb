import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db, Sql } from '../db/client.ts'
import type { Prisma, PrismaClient, Recovery } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf } from '../db/page.ts'
import { type PageOfOwner, pagesOfEach } from '../db/pages-of-each.ts'
import { atLeastKey } from '../db/selection.ts'
import { DomainError, notFound } from '../lib/errors.ts'

type Selection = Pick<Prisma.RecoveryFindManyArgs, 'select' | 'include'>

/** The organization's recovery with a public id, or `null`. */
export async function findRecoveryById(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Recovery | null> {
  const uuid = parseId('recovery', id)
  if (!uuid) return null
  return await findRecovery(db, organizationId, uuid, selection)
}

/** The organization's recovery with a uuid, or `null`. */
export async function findRecovery(
  db: Db,
  organizationId: string,
  uuid: string,
  selection: Selection,
): Promise<Recovery | null> {
  return await db.recovery.findUnique({
    ...atLeastKey(selection),
    where: { id: uuid, organizationId },
  })
}

/** Reads a recovery again after a change. Throws `not_found` if it was deleted. */
export async function rereadRecovery(
  db: Db,
  organizationId: string,
  id: string,
  selection: Selection,
): Promise<Recovery> {
  const row = await findRecoveryById(db, organizationId, id, selection)
  if (!row) throw notFound('recovery', id)
  return row
}

/**
 * Cancels a running recovery after its current page. Queued deliveries stay queued. Canceling again changes nothing.
 */
export async function cancelRecovery(
  prisma: PrismaClient,
  organizationId: string,
  id: string,
  actor: Actor,
): Promise<void> {
  const uuid = parseId('recovery', id)
  const where = { id: uuid ?? '', organizationId }
  if (!uuid) throw notFound('recovery', id)
  const canceled = await actForOrganization(prisma, organizationId, async (tx) => {
    const { count } = await tx.recovery.updateMany({
      where: { ...where, state: 'running' },
      data: { state: 'canceled', finishedAt: new Date() },
    })
    if (count === 0) return false
    const entry = { action: 'recovery.canceled', organizationId, subjectId: id } as const
    await writeAuditEntry(tx, actor, entry)
    return true
  })
  if (canceled) return
  const recovery = await prisma.recovery.findUnique({ where, select: { state: true } })
  if (!recovery) throw notFound('recovery', id)
  if (recovery.state === 'canceled') return
  const ended = recovery.state === 'failed' ? 'has failed' : 'has queued all its deliveries already'
  throw new DomainError(
    'conflict',
    `The recovery ${id} ${ended}. Only a recovery that is queueing can be canceled.`,
  )
}

interface FindDeps {
  readonly prisma: Db
  readonly sql: Sql
}

/**
 * A page of recoveries for each of several webhooks, in the order of the webhooks, each page newest first. The index on
 * (webhook_id, id) serves each page.
 */
export async function findRecoveriesOfEach(
  { prisma, sql }: FindDeps,
  webhookUuids: readonly string[],
  query: Selection & Page,
): Promise<Recovery[][]> {
  const { where, take, orderBy: _, ...selection } = pageOf(query, 'newest first')
  const { id: bound } = where
  const direction = take > 0 ? 'desc' : 'asc'
  const lower = bound && 'gt' in bound ? bound.gt : null
  const upper = bound && 'lt' in bound ? bound.lt : null
  const { rows } = await sql.query<PageOfOwner>({
    name: `find_recoveries_of_each_${direction}`,
    text: `
      select webhook.id as owner, array(
        select r.id from posthorn.recoveries as r
        where r.webhook_id = webhook.id and ($2::uuid is null or r.id > $2) and ($3::uuid is null or r.id < $3)
        order by r.id ${direction} limit $4
      ) as ids
      from unnest($1::uuid[]) as webhook (id)`,
    values: [webhookUuids, lower, upper, Math.abs(take)],
  })
  const found = await prisma.recovery.findMany({
    ...selection,
    where: { id: { in: rows.flatMap(({ ids }) => ids) } },
  })
  return pagesOfEach(webhookUuids, rows, found, take)
}
