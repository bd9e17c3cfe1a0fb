import type { Actor } from '../access/actor.ts'
import { writeAuditEntry } from '../audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { DomainError } from '../lib/errors.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'

interface ProbeDeps {
  readonly prisma: PrismaClient
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/**
 * Sends the next probe of a webhook on hold now. Throws `conflict` if the webhook is not on hold, if a probe is under
 * way, or if no delivery waits that could be the probe.
 */
export async function probeWebhook(
  { prisma, actor }: ProbeDeps,
  organizationId: string,
  webhookId: string,
): Promise<void> {
  const webhook = await findWebhook(prisma, organizationId, webhookId)
  await actForOrganization(prisma, organizationId, async (tx) => {
    const obstacle = await hastenProbe(tx, webhook.id)
    if (obstacle !== null) throw new DomainError('conflict', MESSAGES[obstacle](webhookId))
    await writeAuditEntry(tx, actor, {
      action: 'webhook.probed',
      organizationId,
      subjectId: webhookId,
    })
  })
}

type Obstacle = 'not_on_hold' | 'probe_in_flight' | 'retry_scheduled' | 'no_backlog'

const MESSAGES: Readonly<Record<Obstacle, (webhookId: string) => string>> = {
  not_on_hold: (id) => `The webhook ${id} is not on hold, so it needs no probe.`,
  probe_in_flight: (id) => `A probe of the webhook ${id} is under way. Wait for its result.`,
  retry_scheduled: (id) =>
    `The first delivery of the ordered webhook ${id} has a retry scheduled, which is the next probe. Wait for that retry, or cancel the delivery.`,
  no_backlog: (id) =>
    `No delivery waits for the webhook ${id}, so there is nothing to probe with. Resume the webhook, and send a test event.`,
}

/** Workers send probes that are due. */
async function hastenProbe(tx: Db, webhookUuid: string): Promise<Obstacle | null> {
  const [row] = await tx.$queryRawUnsafe<{ obstacle: Obstacle | null }[]>(HASTEN_PROBE, webhookUuid)
  return row ? row.obstacle : 'not_on_hold'
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
