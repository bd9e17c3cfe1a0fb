import type { Sql } from '../db/client.ts'
import type { ConcurrencyLimiter } from './concurrency-limiter.ts'

/** How often the limits are written, at most. */
const REPORT_EVERY_MS = 5_000

/** Writes the adaptive limits that changed by a tenth or more, so that the webhooks' health can show them. */
export function createLimitReporter(sql: Sql, limiter: ConcurrencyLimiter): () => Promise<void> {
  const reported = new Map<string, number>()
  let reportedAtMs = performance.now()

  return async () => {
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return
    reportedAtMs = performance.now()
    const limits = [...limiter.limits()].filter(({ adapts }) => adapts)
    const changed = limits.filter(({ webhookId, limit }) => {
      const before = reported.get(webhookId)
      return before === undefined || Math.abs(limit - before) >= before / 10
    })
    const known = new Set(limits.map(({ webhookId }) => webhookId))
    for (const webhookId of reported.keys()) if (!known.has(webhookId)) reported.delete(webhookId)
    if (changed.length === 0) return
    changed.sort((a, b) => (a.webhookId < b.webhookId ? -1 : 1))
    await sql.query({
      name: 'report_limits',
      text: `
        insert into posthorn.webhook_schedules (webhook_id, concurrency_limit)
        select given.id, given.max from unnest($1::uuid[], $2::int[]) as given (id, max)
        join posthorn.webhooks as w on w.id = given.id and w.deleted_at is null
        on conflict (webhook_id) do update set concurrency_limit = excluded.concurrency_limit`,
      values: [changed.map(({ webhookId }) => webhookId), changed.map(({ limit }) => limit)],
    })
    for (const { webhookId, limit } of changed) reported.set(webhookId, limit)
  }
}
