import type { Sql } from '../db/client.ts'

/** The retry schedule and the timeout of webhooks without their own. */
export interface SendDefaults {
  readonly retryScheduleMs: readonly number[]
  readonly attemptTimeoutMs: number
}

/**
 * Stores the defaults of the worker. Publishing in SQL gives each new delivery their number of attempts, the API
 * shows them as the effective settings of webhooks, and the links of notices begin with the public URL.
 */
export async function saveSendDefaults(
  sql: Sql,
  {
    retryScheduleMs,
    attemptTimeoutMs,
    publicUrl = null,
  }: SendDefaults & { readonly publicUrl?: string | null },
): Promise<void> {
  await sql.query(
    `update posthorn.settings
     set default_max_attempts = $1, default_retry_schedule_ms = $2::int[], default_timeout_ms = $3, public_url = $4
     where (default_max_attempts, default_retry_schedule_ms, default_timeout_ms, public_url)
       is distinct from ($1, $2::int[], $3, $4)`,
    [retryScheduleMs.length + 1, retryScheduleMs, attemptTimeoutMs, publicUrl],
  )
}

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
