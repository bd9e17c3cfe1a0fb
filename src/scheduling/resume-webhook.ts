import { type Actor, SYSTEM } from '../audit/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { DomainError } from '../errors.ts'
import { announce } from '../live/announce.ts'
import { enqueue } from '../queue/enqueue.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'

interface FlowDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  /** Who acts, for the audit log. Default: Posthorn itself. */
  readonly actor?: Actor
}

/** Lets what the breaker holds back go now, without waiting for a probe to succeed. Throws `conflict` when none is held. */
export async function resumeWebhook(
  { prisma, sql, actor = SYSTEM }: FlowDeps,
  organizationId: string,
  webhookId: string,
): Promise<void> {
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  await actForOrganization(prisma, organizationId, async (tx) => {
    const [held] = await tx.$queryRaw<{ ended: boolean }[]>`
      select posthorn.end_hold(${webhook.id}::uuid) as ended`
    if (!held?.ended) {
      throw new DomainError(
        'conflict',
        `Nothing is held back of the webhook ${webhookId}, so there is nothing to release.`,
      )
    }
    const key = `release:${webhookId}`
    await enqueue(tx, 'release_waiting_deliveries', { webhookId }, { key })
    await writeAuditEntry(tx, actor, {
      action: 'webhook.resumed',
      organizationId,
      subjectId: webhookId,
    })
  })
  // They are released, even if nobody can be told of it.
  await announce(sql, [
    { kind: 'health', organizationId, webhookId: webhook.id, health: 'failing' },
  ]).catch(() => {})
}
