import { type Actor, SYSTEM } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Sql } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { publicId } from '../db/ids.ts'
import { DomainError } from '../lib/errors.ts'
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
  /** Who acts, for the audit log. Default: Posthorn itself. */
  readonly actor?: Actor
}

/** What was begun, or would be. */
export interface BegunRecovery extends RecoverableCount {
  /** Null of a dry run. */
  readonly recoveryUuid: string | null
}

/**
 * Begins to make due what a webhook did not receive, in the background; a dry run only counts it. A webhook that is
 * disabled may be counted for, and is refused otherwise: nothing would be delivered to it.
 */
export async function recoverDeliveries(
  { prisma, sql, retentionMs, actor = SYSTEM }: RecoverDeps,
  organizationId: string,
  webhookId: string,
  input: RecoveryInput & { readonly dryRun: boolean },
): Promise<BegunRecovery> {
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  const options = parseRecovery(input, retentionMs)
  if (!input.dryRun) {
    if (!webhook.enabled) throw disabled(webhookId)
    await refuseBesideAnother(prisma, webhook.id)
  }
  const counted = await countRecoverable(sql, webhook, options)
  if (input.dryRun) return { ...counted, recoveryUuid: null }
  const recoveryUuid = await begin(prisma, actor, webhook, options, counted)
  return { ...counted, recoveryUuid }
}

/** The recovery and its first job exist together or not at all. */
async function begin(
  prisma: PrismaClient,
  actor: Actor,
  webhook: { readonly id: string; readonly organizationId: string },
  { since, until, include, ratePerSecond }: RecoveryOptions,
  { count, exact }: RecoverableCount,
): Promise<string> {
  return await actForOrganization(prisma, webhook.organizationId, async (tx) => {
    const [begun] = await tx.$queryRaw<{ id: string }[]>`
      insert into posthorn.recoveries (organization_id, webhook_id, since, until, include, rate_per_second,
        total, total_is_exact, step, reached_id)
      values (${webhook.organizationId}::uuid, ${webhook.id}::uuid, ${since}, ${until},
        ${include}::posthorn.recovery_include, ${ratePerSecond}, ${count}, ${exact},
        ${include === 'missed' ? 'missed' : 'failed'}::posthorn.recovery_step, ${firstDeliveryUuidOf(since)}::uuid)
      on conflict (webhook_id) where state = 'running' do nothing
      returning id`
    if (begun) {
      const recoveryId = publicId('recovery', begun.id)
      await enqueue(tx, 'recover_deliveries', { recoveryId }, { key: recoveryId })
      const webhookId = publicId('webhook', webhook.id)
      await writeAuditEntry(tx, actor, {
        action: 'recovery.started',
        organizationId: webhook.organizationId,
        subjectId: recoveryId,
        after: { webhookId, since, until, include, ratePerSecond },
      })
      return begun.id
    }
    await refuseBesideAnother(tx, webhook.id)
    // It ended between the two statements.
    throw new DomainError(
      'conflict',
      'Another recovery of the webhook ended just now. Begin this one again.',
    )
  })
}

async function refuseBesideAnother(
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
    `The recovery ${id} of the webhook ${publicId('webhook', webhookUuid)} is running, and there is one at a time. Wait until it ends, or cancel it.`,
  )
}

function disabled(webhookId: string): DomainError {
  return new DomainError(
    'conflict',
    `The webhook ${webhookId} is disabled, so nothing is delivered to it. Enable it, then recover. (A dry run counts for a disabled one too.)`,
  )
}
