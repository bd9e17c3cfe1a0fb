import type { Actor } from '../auth/access/actor.ts'
import { writeAuditEntry } from '../auth/audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { ConflictError } from '../graphql/errors.ts'
import { mutation } from '../graphql/mutation.ts'
import { DomainError } from '../lib/errors.ts'
import { enqueue } from '../queue/jobs.ts'
import { notifyOnCommit } from '../streams/live/notify.ts'
import { endHoldInTransaction, followIncidents } from '../webhooks/end-hold.ts'
import { findWebhook } from '../webhooks/find-webhook.ts'

interface HoldMutation {
  readonly description: string
  readonly webhook: string
  readonly result: string
  readonly change: typeof probeWebhook
}

function addMutation(name: string, { description, webhook, result, change }: HoldMutation): void {
  mutation(name, {
    description,
    scope: 'deliveries:write',
    id: 'webhook',
    errors: [ConflictError],
    returns: ['webhook', 'Webhook', webhook],
    success: result,
    run: async ({ id }, context, { organizationId }) => {
      await change(context, organizationId, id)
      return id
    },
  })
}

addMutation('probeWebhook', {
  description:
    'Sends the next probe of a webhook on hold now, instead of at `nextProbeAt`. The probe is one of the oldest waiting deliveries; if it succeeds, the hold ends. If the endpoint asked to wait, ends the hold now.',
  webhook: 'The webhook, whose probe is about to be sent.',
  result: 'A worker sends the probe within a second or two.',
  change: probeWebhook,
})

addMutation('resumeWebhook', {
  description:
    'Ends the hold of a webhook without waiting for a successful probe. The backlog is released with a slow start: 10 deliveries in the first second, then twice as many each second. After 10 more consecutive failures, or an answer that asks to wait, the webhook is on hold again.',
  webhook: 'The webhook, no longer on hold.',
  result: 'The webhook is no longer on hold.',
  change: resumeWebhook,
})

interface HoldDeps {
  readonly prisma: PrismaClient
  /** The actor, for the audit log. */
  readonly actor: Actor
}

/** Ends the hold of a webhook without waiting for a successful probe. Throws `conflict` if it is not on hold. */
async function resumeWebhook(
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
 * Sends the next probe of a webhook on hold now. Throws `conflict` if the webhook is not on hold, or if no
 * delivery waits that could be the probe. Workers send probes that are due.
 */
async function probeWebhook(
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
  no_backlog: (id: string) =>
    `No delivery waits for the webhook ${id}, so there is nothing to probe with. Resume the webhook, and send a test event.`,
}

const HASTEN_PROBE = `
  with schedule as (
    select s.webhook_id,
      case
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
