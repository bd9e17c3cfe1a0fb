import type { Sql } from '../db/client.ts'

/** A time in which the circuit breaker, or the endpoint by `Retry-After`, had a webhook on hold. */
export interface Hold {
  readonly startedAt: Date
  readonly endedAt: Date | null
}

export const MAX_HOLDS = 100

/** The last holds of each webhook that overlap a time range, newest first. */
export async function findHolds(
  sql: Sql,
  webhookUuids: readonly string[],
  { since, until }: { readonly since: Date; readonly until?: Date | null | undefined },
): Promise<Hold[][]> {
  const { rows } = await sql.query<Hold & { webhook: string }>({
    name: 'find_holds',
    text: `
      select h.webhook_id as webhook, h.started_at as "startedAt", h.ended_at as "endedAt"
      from unnest($1::uuid[]) as w (id) cross join lateral (
        select * from posthorn.webhook_holds as h
        where h.webhook_id = w.id and h.started_at < $3 and coalesce(h.ended_at, 'infinity') >= $2
        order by h.started_at desc limit ${MAX_HOLDS}
      ) as h
      order by h.started_at desc`,
    values: [webhookUuids, since, until ?? 'infinity'],
  })
  const byWebhook = Map.groupBy(rows, ({ webhook }) => webhook)
  return webhookUuids.map((uuid) => byWebhook.get(uuid) ?? [])
}
