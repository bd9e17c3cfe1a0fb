import type { Sql } from '../db/client.ts'

/** The retry schedule and the timeout of webhooks without their own. */
export interface SendDefaults {
  readonly retryScheduleMs: readonly number[]
  readonly attemptTimeoutMs: number
}

/**
 * Stores the defaults of the worker. Publishing in SQL gives each new delivery their number of attempts, the API
 * shows them as the effective settings of webhooks, the links of alerts begin with the public URL, and no organization or
 * event type can have a longer retention than the worker.
 */
export async function saveSendDefaults(
  sql: Sql,
  {
    retryScheduleMs,
    attemptTimeoutMs,
    publicUrl = null,
    retentionMs = DEFAULT_RETENTION_MS,
  }: SendDefaults & { readonly publicUrl?: string | null; readonly retentionMs?: number },
): Promise<void> {
  await sql.query(
    `update posthorn.settings
     set default_max_attempts = $1, default_retry_schedule_ms = $2::int[], default_timeout_ms = $3, public_url = $4, retention_ms = $5
     where (default_max_attempts, default_retry_schedule_ms, default_timeout_ms, public_url, retention_ms)
       is distinct from ($1, $2::int[], $3, $4, $5)`,
    [retryScheduleMs.length + 1, retryScheduleMs, attemptTimeoutMs, publicUrl, retentionMs],
  )
}

const DEFAULT_RETENTION_MS = 30 * 86_400_000

/** The defaults of the worker that started last. */
export async function readSendDefaults(sql: Sql): Promise<SendDefaults> {
  const { rows } = await sql.query<SendDefaults>({
    name: 'read_send_defaults',
    text: `select default_retry_schedule_ms as "retryScheduleMs", default_timeout_ms as "attemptTimeoutMs"
           from posthorn.settings`,
  })
  const [defaults] = rows
  if (!defaults) throw new Error('The table posthorn.settings has no row.')
  return defaults
}
