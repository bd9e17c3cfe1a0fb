import type { Sql } from '../db/client.ts'
import { runPages } from '../queue/long-work.ts'

/** Other organizations publish while Postgres creates a page, so it is small. */
const PAGE_SIZE = 250

/**
 * Creates the remaining deliveries of an organization's published events, page by page, and adds a job for the rest. A page and
 * its progress commit together, so that a killed process leaves whole pages. Ends at once if another job creates a page of the
 * organization: that job looks for later events after its page.
 */
export async function fanOut(
  sql: Sql,
  organizationUuid: string,
  signal: AbortSignal,
): Promise<void> {
  const addRest = () => sql.query('select posthorn.start_fan_out($1)', [organizationUuid])
  await runPages(() => createPage(sql, organizationUuid), addRest, signal)
}

async function createPage(sql: Sql, organizationUuid: string): Promise<number | null> {
  const { rows } = await sql.query<{ created: number | null }>({
    name: 'fan_out',
    text: 'select posthorn.fan_out($1, $2) as created',
    values: [organizationUuid, PAGE_SIZE],
  })
  const created = rows[0]?.created ?? null
  if (created === null) return null
  if (created > 0) return 0
  const { rowCount } = await sql.query(
    'select from posthorn.fan_outs where organization_id = $1 limit 1',
    [organizationUuid],
  )
  return rowCount === 0 ? null : 0
}

/** Adds jobs for events that fan out for over a minute, as an operator may have completed theirs. Returns how many. */
export async function restartFanOuts(sql: Sql): Promise<number> {
  const { rowCount } = await sql.query(
    `select posthorn.start_fan_out(late.organization_id) from (
       select distinct organization_id from posthorn.fan_outs
       where id < posthorn.uuid_v7_lower_bound(now() - interval '1 minute')
     ) as late`,
  )
  return rowCount ?? 0
}
