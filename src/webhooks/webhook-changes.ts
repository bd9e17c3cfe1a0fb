import type { Sql } from '../db/client.ts'
import { lowerBoundAt, upperBoundAt } from '../lib/uuid-v7.ts'

export type ChangeKind =
  | 'created'
  | 'updated'
  | 'enabled'
  | 'disabled'
  | 'secret_rotated'
  | 'put_on_hold'
  | 'hold_ended'

/** What happened to a webhook, for charts. */
export interface WebhookChange {
  readonly at: Date
  readonly kind: ChangeKind
}

export interface ChangeRange {
  readonly since: Date
  /** Exclusive. Default: no end. */
  readonly until?: Date | null | undefined
}

export const MAX_CHANGES = 100

/** The last changes of each webhook in a range, newest first. Read from the audit log and the holds, each by its index. */
export async function findWebhookChanges(
  sql: Sql,
  organizationId: string,
  webhookUuids: readonly string[],
  { since, until }: ChangeRange,
): Promise<WebhookChange[][]> {
  const { rows } = await sql.query<WebhookChange & { webhook: string }>({
    name: 'find_webhook_changes',
    text: FIND_WEBHOOK_CHANGES,
    values: [
      organizationId,
      webhookUuids,
      since,
      until ?? 'infinity',
      lowerBoundAt(since),
      upperBoundAt(until),
    ],
  })
  const byWebhook = Map.groupBy(rows, ({ webhook }) => webhook)
  return webhookUuids.map((uuid) =>
    (byWebhook.get(uuid) ?? []).map(({ at, kind }) => ({ at, kind })),
  )
}

const FIND_WEBHOOK_CHANGES = `
  select w.id as webhook, change.at, change.kind
  from unnest($2::uuid[]) as w (id) cross join lateral (
    select posthorn.uuid_v7_timestamp(a.id) as at,
      case a.action
        when 'webhook.created' then 'created'
        when 'signing_secret.rotated' then 'secret_rotated'
        else case a.after ->> 'enabled' when 'true' then 'enabled' when 'false' then 'disabled' else 'updated' end
      end as kind
    from posthorn.audit_log as a
    where a.organization_id = $1 and a.subject_id = posthorn.type_id('wh', w.id) and a.id >= $5 and a.id < $6
      and a.action in ('webhook.created', 'webhook.updated', 'signing_secret.rotated')
    union all
    select h.started_at, 'put_on_hold' from posthorn.webhook_holds as h
    where h.webhook_id = w.id and h.started_at >= $3 and h.started_at < $4
    union all
    select h.ended_at, 'hold_ended' from posthorn.webhook_holds as h
    where h.webhook_id = w.id and h.ended_at >= $3 and h.ended_at < $4
    order by 1 desc limit ${MAX_CHANGES}
  ) as change
  order by change.at desc`

/** Deletes the holds that ended before the retention. Returns their number. */
export async function deleteOldHolds(
  sql: Sql,
  retentionMs: number,
  now = new Date(),
): Promise<number> {
  const { rowCount } = await sql.query('delete from posthorn.webhook_holds where ended_at < $1', [
    new Date(now.getTime() - retentionMs),
  ])
  return rowCount ?? 0
}
