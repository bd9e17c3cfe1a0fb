import type { Sql } from '../db/client.ts'
import { MAX_ATTEMPTS } from './new-delivery-sql.ts'

/** Makes an exhausted delivery pending again, with a full retry schedule. */
export async function reopenExhausted(sql: Sql, uuid: string): Promise<void> {
  await sql.query(
    `update posthorn.deliveries as d set state = 'pending', finished_at = null, next_attempt_at = now(),
       is_backfilled = true, schedule_position = 0, max_attempts = d.attempt_count + (${MAX_ATTEMPTS})
     from posthorn.webhooks as w
     where d.id = $1 and d.state = 'exhausted' and w.id = d.webhook_id and w.deleted_at is null`,
    [uuid],
  )
}
