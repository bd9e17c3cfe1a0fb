import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { DomainError } from '../lib/errors.ts'
import { backgroundQueue } from '../queue/background.ts'
import { enqueue } from '../queue/jobs.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'
import { countRecoverable, type RecoverableCount } from './recovery-count.ts'
import {
  firstDeliveryUuidOf,
  parseRecovery,
  type RecoveryInput,
  type RecoveryOptions,
} from './recovery-scope.ts'

export interface RecoverDeps {
  readonly prisma: PrismaClient
  readonly sql: Sql
  readonly retentionMs: number
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** A started recovery, or the count of a dry run. */
export interface StartedRecovery extends RecoverableCount {
  /** Null for a dry run. */
  readonly recoveryUuid: string | null
}

/**
 * Starts a recovery, which queues a webhook's failed and missed deliveries in the background. A dry run only counts
 * them. Throws `conflict` if the webhook is disabled (except for a dry run) or another of its recoveries is running.
 */
export async function recoverDeliveries(
  { prisma, sql, retentionMs, actor }: RecoverDeps,
  organizationId: string,
  webhookId: string,
  input: RecoveryInput & { readonly dryRun: boolean },
): Promise<StartedRecovery> {
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  const options = parseRecovery(input, retentionMs)
  if (!input.dryRun) {
    if (!webhook.enabled) throw disabledError(webhookId)
    await requireNoneRunning(prisma, webhook.id)
  }
  const counted = await countRecoverable(sql, webhook, options)
  if (input.dryRun) return { ...counted, recoveryUuid: null }
  const recoveryUuid = await startRecovery(prisma, actor, webhook, options, counted)
  return { ...counted, recoveryUuid }
}

/** Creates the recovery and its first job in one transaction. */
async function startRecovery(
  prisma: PrismaClient,
  actor: Actor,
  webhook: { readonly id: string; readonly organizationId: string },
  { since, until, include, ratePerSecond }: RecoveryOptions,
  { count, exact }: RecoverableCount,
): Promise<string> {
  return await actForOrganization(prisma, webhook.organizationId, async (tx) => {
    const [started] = await tx.$queryRaw<{ id: string }[]>`
      insert into posthorn.recoveries (organization_id, webhook_id, since, until, include, rate_per_second,
        total, total_is_exact, step, reached_id)
      values (${webhook.organizationId}::uuid, ${webhook.id}::uuid, ${since}, ${until},
        ${include}::posthorn.recovery_include, ${ratePerSecond}, ${count}, ${exact},
        ${include === 'missed' ? 'missed' : 'failed'}::posthorn.recovery_step, ${firstDeliveryUuidOf(since)}::uuid)
      on conflict (webhook_id) where state = 'running' do nothing
      returning id`
    if (started) {
      const recoveryId = publicId('recovery', started.id)
      const job = { key: recoveryId, queue: backgroundQueue(webhook.organizationId) }
      await enqueue(tx, 'recover_deliveries', { recoveryId }, job)
      const webhookId = publicId('webhook', webhook.id)
      await writeAuditEntry(tx, actor, {
        action: 'recovery.started',
        organizationId: webhook.organizationId,
        subjectId: recoveryId,
        after: { webhookId, since, until, include, ratePerSecond },
      })
      return started.id
    }
    await requireNoneRunning(tx, webhook.id)
    // The other recovery ended between the two statements.
    throw new DomainError(
      'conflict',
      'Another recovery of the webhook has just ended. Start this recovery again.',
    )
  })
}

async function requireNoneRunning(
  db: Pick<PrismaClient, 'recovery'>,
  webhookUuid: string,
): Promise<void> {
  const other = await db.recovery.findFirst({
    where: { webhookId: webhookUuid, state: 'running' },
    select: { id: true },
  })
  if (!other) return
  const id = publicId('recovery', other.id)
  throw new DomainError(
    'conflict',
    `The recovery ${id} of the webhook ${publicId('webhook', webhookUuid)} is running, and a webhook has one recovery at a time. Wait until that recovery ends, or cancel it.`,
  )
}

function disabledError(webhookId: string): DomainError {
  return new DomainError(
    'conflict',
    `The webhook ${webhookId} is disabled. Enable it, then start the recovery. (A dry run works for a disabled webhook too.)`,
  )
}
