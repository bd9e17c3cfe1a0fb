import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { DomainError } from '../lib/errors.ts'
import { notifyOnCommit } from '../live/notify.ts'
import { enqueue } from '../queue/jobs.ts'
import { endHoldInTransaction, followIncidents } from '../webhooks/end-hold.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'

interface HoldDeps {
  readonly prisma: PrismaClient
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** Ends the hold of a webhook without waiting for a successful probe. Throws `conflict` if it is not on hold. */
export async function resumeWebhook(
  deps: HoldDeps,
  organizationId: string,
  webhookId: string,
): Promise<void> {
  await changeHold(deps, organizationId, webhookId, 'webhook.resumed', async (tx, uuid) => {
    if (!(await endHoldInTransaction(tx, uuid))) {
      return `The webhook ${webhookId} is not on hold, so it cannot be resumed.`
    }
    await followIncidents(tx, uuid)
    await enqueue(tx, 'release_backlog', { webhookId }, { key: `release:${webhookId}` })
    await notifyOnCommit(tx, organizationId)
    return null
  })
}

/**
 * Sends the next probe of a webhook on hold now. Throws `conflict` if the webhook is not on hold, if a probe is under
 * way, or if no delivery waits that could be the probe. Workers send probes that are due.
 */
export async function probeWebhook(
  deps: HoldDeps,
  organizationId: string,
  webhookId: string,
): Promise<void> {
  await changeHold(deps, organizationId, webhookId, 'webhook.probed', async (tx, uuid) => {
    type Row = { readonly obstacle: keyof typeof OBSTACLES | null }
    const [row] = await tx.$queryRawUnsafe<Row[]>(HASTEN_PROBE, uuid)
    const obstacle = row ? row.obstacle : 'not_on_hold'
    return obstacle && OBSTACLES[obstacle](webhookId)
  })
}

/** `change` returns why it cannot be made, or null. */
async function changeHold(
  { prisma, actor }: HoldDeps,
  organizationId: string,
  webhookId: string,
  action: 'webhook.resumed' | 'webhook.probed',
  change: (tx: Db, uuid: string) => Promise<string | null>,
): Promise<void> {
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  await actForOrganization(prisma, organizationId, async (tx) => {
    const obstacle = await change(tx, webhook.id)
    if (obstacle !== null) throw new DomainError('conflict', obstacle)
    await writeAuditEntry(tx, actor, { action, organizationId, subjectId: webhookId })
  })
}

const OBSTACLES = {
  not_on_hold: (id: string) => `The webhook ${id} is not on hold, so it needs no probe.`,
  probe_in_flight: (id: string) =>
    `A probe of the webhook ${id} is under way. Wait for its result.`,
  retry_scheduled: (id: string) =>
    `The first delivery of the ordered webhook ${id} has a retry scheduled, which is the next probe. Wait for that retry, or cancel the delivery.`,
  no_backlog: (id: string) =>
    `No delivery waits for the webhook ${id}, so there is nothing to probe with. Resume the webhook, and send a test event.`,
}

const HASTEN_PROBE = `
  with schedule as (
    select s.webhook_id,
      case
        when exists (
          select from posthorn.deliveries as d
          where d.id = s.probe_delivery_id and d.state = 'pending' and d.parked_at is null and d.next_attempt_at <= now()
        ) then 'probe_in_flight'
        when s.on_hold_reason = 'retry_after' and w.ordered and exists (
          select from posthorn.deliveries as d
          where d.id = s.head_delivery_id and d.state = 'pending' and d.parked_at is null
        ) then 'retry_scheduled'
        when not exists (
          select from posthorn.deliveries as d where d.webhook_id = s.webhook_id and d.parked_at is not null
        ) then 'no_backlog'
      end as obstacle
    from posthorn.webhook_schedules as s join posthorn.webhooks as w on w.id = s.webhook_id
    where s.webhook_id = $1::uuid and s.on_hold_since is not null and w.enabled
    for update of s
  ),
  hastened as (
    update posthorn.webhook_schedules as s set next_probe_at = now()
    from schedule where s.webhook_id = schedule.webhook_id and schedule.obstacle is null
  )
  select obstacle from schedule`
