import type { Sql } from '../db/client.ts'

/** Reports what expires soon, and the exhausted deliveries of the hours that are over. Runs each minute. */
export async function sendLateNotices(sql: Sql): Promise<void> {
  await sql.query('select posthorn.notice_expiring()')
  let webhooks: number
  do {
    const { rows } = await sql.query<{ webhooks: number }>(
      'select posthorn.notice_more_exhausted() as webhooks',
    )
    webhooks = rows[0]?.webhooks ?? 0
  } while (webhooks > 0)
}
