import type { Sql } from '../db/client.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'

/** The shortest interval between two reports. */
const REPORT_EVERY_MS = 5_000

/** Stores the adaptive limits that changed by a tenth or more, for the health of the webhooks in the API. */
export function createLimitReporter(sql: Sql, limiter: ConcurrencyLimiter): () => Promise<void> {
  let reported = new Map<string, number | null>()
  let reportedAtMs = performance.now()

  return async () => {
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return
    reportedAtMs = performance.now()
    const limits = new Map<string, number | null>()
    for (const { webhookId, limit, isAdaptive } of limiter.limits()) {
      const before = reported.get(webhookId)
      const isSimilar = before && isAdaptive && Math.abs(limit - before) < before / 10
      limits.set(webhookId, isSimilar ? before : isAdaptive ? limit : null)
    }
    const changed = [...limits].filter(([webhookId, limit]) => reported.get(webhookId) !== limit)
    if (changed.length > 0) await writeLimits(sql, changed)
    reported = limits
  }
}

/** In the order of the ids, so that processes cannot deadlock. A webhook with a fixed limit gets null. */
async function writeLimits(sql: Sql, limits: [string, number | null][]): Promise<void> {
  await sql.query({
    name: 'report_limits',
    text: `
      insert into posthorn.webhook_schedules as s (webhook_id, concurrency_limit)
      select w.id, given.max from unnest($1::uuid[], $2::int[]) as given (id, max)
      join posthorn.webhooks as w on w.id = given.id and w.deleted_at is null
      order by w.id
      on conflict (webhook_id) do update set concurrency_limit = excluded.concurrency_limit
        where s.concurrency_limit is distinct from excluded.concurrency_limit`,
    values: [limits.map(([webhookId]) => webhookId), limits.map(([, limit]) => limit)],
  })
}
