import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { DomainError } from '../lib/errors.ts'
import { notify } from '../live/notify.ts'
import { enqueue } from '../queue/jobs.ts'
import { endHoldInTransaction } from '../webhooks/end-hold.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'
import { followIncidents } from '../webhooks/follow-incidents.ts'

interface ResumeDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** Ends the hold of a webhook without waiting for a successful probe. Throws `conflict` if it is not on hold. */
export async function resumeWebhook(
  { prisma, sql, actor }: ResumeDeps,
  organizationId: string,
  webhookId: string,
): Promise<void> {
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  await actForOrganization(prisma, organizationId, async (tx) => {
    if (!(await endHoldInTransaction(tx, webhook.id))) {
      throw new DomainError(
        'conflict',
        `The webhook ${webhookId} is not on hold, so it cannot be resumed.`,
      )
    }
    await followIncidents(tx, webhook.id)
    await enqueue(tx, 'release_backlog', { webhookId }, { key: `release:${webhookId}` })
    await writeAuditEntry(tx, actor, {
      action: 'webhook.resumed',
      organizationId,
      subjectId: webhookId,
    })
  })
  // The hold has ended, even if the notification fails.
  await notify(sql, new Map([[organizationId, undefined]])).catch(() => {})
}
