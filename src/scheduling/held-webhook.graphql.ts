import { writeAuditEntry } from '../auth/audit/audit-entry.ts'
import { actForOrganization } from '../db/act-for.ts'
import type { Db } from '../db/client.ts'
import type { Context } from '../graphql/context.ts'
import { ConflictError } from '../graphql/errors.ts'
import { mutation } from '../graphql/mutation.ts'
import { DomainError } from '../lib/errors.ts'
import { enqueue } from '../queue/jobs.ts'
import { notifyOnCommit } from '../streams/live/notify.ts'
import { endHoldInTransaction, followIncidents } from '../webhooks/end-hold.ts'
import { findWebhook } from '../webhooks/find-webhooks.ts'

mutation('probeWebhook', {
  description:
    'Sends the next probe of a webhook on hold now, instead of at `nextProbeAt`. The probe is one of the oldest waiting deliveries; if it succeeds, the hold ends. If the endpoint asked to wait, ends the hold now.',
  scope: 'deliveries:write',
  id: 'webhook',
  errors: [ConflictError],
  returns: ['webhook', 'Webhook', 'The webhook, whose probe is about to be sent.'],
  success: 'A worker sends the probe within a second or two.',
  run: async ({ id }, context) => {
    // Workers send probes that are due.
    await changeHold(context, id, 'webhook.probed', async (tx, uuid) => {
      type Row = { readonly obstacle: keyof typeof OBSTACLES | null }
      const [row] = await tx.$queryRawUnsafe<Row[]>(HASTEN_PROBE, uuid)
      const obstacle = row ? row.obstacle : 'not_on_hold'
      return obstacle && OBSTACLES[obstacle](id)
    })
    return id
  },
})

mutation('resumeWebhook', {
  description:
    'Ends the hold of a webhook without waiting for a successful probe. The backlog is released with a slow start: 10 deliveries in the first second, then twice as many each second. After 10 more consecutive failures, or an answer that asks to wait, the webhook is on hold again.',
  scope: 'deliveries:write',
  id: 'webhook',
  errors: [ConflictError],
  returns: ['webhook', 'Webhook', 'The webhook, no longer on hold.'],
  success: 'The webhook is no longer on hold.',
  run: async ({ id }, context, { organizationId }) => {
    await changeHold(context, id, 'webhook.resumed', async (tx, uuid) => {
      if (!(await endHoldInTransaction(tx, uuid))) {
        return `The webhook ${id} is not on hold, so it cannot be resumed.`
      }
      await followIncidents(tx, uuid)
      await enqueue(tx, 'release_backlog', { webhookId: id }, { key: `release:${id}` })
      await notifyOnCommit(tx, organizationId)
      return null
    })
    return id
  },
})

/** Throws `conflict` with the reason that `change` returns. Null: it is made. */
async function changeHold(
  context: Context,
  id: string,
  action: 'webhook.resumed' | 'webhook.probed',
  change: (tx: Db, uuid: string) => Promise<string | null>,
): Promise<void> {
  const { prisma, actor } = context
  const { organizationId } = context.caller
  const webhook = await findWebhook(prisma, organizationId, id)
  await actForOrganization(prisma, organizationId, async (tx) => {
    const obstacle = await change(tx, webhook.id)
    if (obstacle !== null) throw new DomainError('conflict', obstacle)
    await writeAuditEntry(tx, actor, { action, organizationId, subjectId: id })
  })
}

const OBSTACLES = {
  not_on_hold: (id: string) => `The webhook ${id} is not on hold, so it needs no probe.`,
  no_backlog: (id: string) =>
    `No delivery waits for the webhook ${id}, so there is nothing to probe with. Resume the webhook, and send a test event.`,
}

/** An error undoes the change. */
const HASTEN_PROBE = `
  update posthorn.webhook_schedules as s set next_probe_at = now()
  from posthorn.webhooks as w
  where s.webhook_id = $1::uuid and w.id = s.webhook_id and s.on_hold_since is not null and w.enabled
  returning case when not exists (
    select from posthorn.deliveries as d where d.webhook_id = s.webhook_id and d.parked_at is not null
  ) then 'no_backlog' end as obstacle`
