import type { Sql } from '../db/client.ts'
import type { Attempt } from './live-event.ts'

/** More than a stream queues. */
const MAX_ATTEMPTS = 10_000

export type AttemptRow = Omit<Attempt, 'kind'>

export const ATTEMPT_COLUMNS = `
  a.organization_id as "organizationId", a.webhook_id as "webhookId", a.delivery_id as "deliveryId",
  a.id as "attemptId", a.succeeded,
  coalesce(d.state in ('succeeded', 'exhausted') and d.attempt_count = a.number, false) as finished`

export const ATTEMPT_TABLES =
  'posthorn.attempts as a left join posthorn.deliveries as d on d.id = a.delivery_id'

/** Reads the attempts of some organizations in a range of ids as live events, oldest first. */
export async function readAttempts(
  sql: Sql,
  organizationIds: readonly string[],
  firstId: string,
  lastId: string,
): Promise<Attempt[]> {
  const { rows } = await sql.query<AttemptRow>(
    `select ${ATTEMPT_COLUMNS} from ${ATTEMPT_TABLES}
     where a.id between $1 and $2 and a.organization_id = any ($3::uuid[])
     order by a.id limit $4`,
    [firstId, lastId, organizationIds, MAX_ATTEMPTS],
  )
  return rows.map((row) => ({ kind: 'attempt', ...row }))
}
