import type { Sql } from '../db/client.ts'
import { MAX_COUNTED_PARKED } from './count-parked.ts'

export type WebhookOrder = 'newest first' | 'attention first' | 'most waiting' | 'name'

export interface Sortable {
  readonly id: string
  readonly url: string
  readonly description: string | null
}

/** Sorts webhooks that are given newest first. Equal ones stay newest first. */
export async function sortWebhooks<Webhook extends Sortable>(
  sql: Sql,
  organizationId: string,
  order: WebhookOrder,
  webhooks: readonly Webhook[],
): Promise<Webhook[]> {
  if (order === 'name') return webhooks.toSorted((a, b) => NAMES.compare(nameOf(a), nameOf(b)))
  const waiting = await readWaiting(sql, organizationId)
  const valueFor = ({ id }: Webhook) => waiting.get(id) ?? 0
  return webhooks.toSorted((a, b) => valueFor(b) - valueFor(a))
}

/** The waiting deliveries of each webhook with a backlog, with the index deliveries_parked. */
async function readWaiting(sql: Sql, organizationId: string): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql.query<{ id: string; waiting: number }>({
    name: 'read_waiting_of_each',
    text: `
      select w.id, counted.waiting
      from posthorn.webhooks as w join posthorn.webhook_schedules as s on s.webhook_id = w.id
      cross join lateral (
        select count(*)::int as waiting from (
          select from posthorn.deliveries as d
          where d.webhook_id = w.id and d.parked_at is not null limit ${MAX_COUNTED_PARKED}
        ) as parked
      ) as counted
      where w.organization_id = $1 and counted.waiting > 0
        and (s.backlog_since is not null or s.backlog_drained_at is not null)`,
    values: [organizationId],
  })
  return new Map(rows.map(({ id, waiting }) => [id, waiting]))
}

const NAMES = new Intl.Collator('en', { numeric: true })

/** The description or, without one, the host and the path. */
const nameOf = ({ description, url }: Sortable) => description || url.replace(/^https:\/\//, '')
