import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'

/**
 * Creates the remaining deliveries of an organization's published events, page by page, for up to `MAX_RUN_MS`; then adds
 * a job for the rest. A page and its progress commit together, so that a killed process leaves whole pages.
 */
export type FanOut = (organizationUuid: string, signal: AbortSignal) => Promise<void>

/** Other organizations publish while Postgres creates a page, so it is small. */
const PAGE_SIZE = 250

const MAX_RUN_MS = 900

/** A process creates one page at a time, so that organizations take turns and use one connection together. */
export function createFanOut(sql: Sql, pageSize = PAGE_SIZE): FanOut {
  const createPage = batched(
    async ([organizationUuid]: string[]) => [
      await createDeliveries(sql, organizationUuid as string, pageSize),
    ],
    { gatherMs: 0, maxSize: 1, parallel: 1 },
  )
  return async (organizationUuid, signal) => {
    const endsAtMs = performance.now() + MAX_RUN_MS
    for (;;) {
      const created = await createPage(organizationUuid)
      if (created === null) return
      // Jobs of later events end while another one creates a page, so the last look must come after that page.
      if (created === 0 && !(await hasFanOuts(sql, organizationUuid))) return
      if (signal.aborted || performance.now() > endsAtMs) {
        return void (await sql.query('select posthorn.start_fan_out($1)', [organizationUuid]))
      }
    }
  }
}

/** Returns the number of created deliveries, or `null` if another job creates a page of the organization. */
async function createDeliveries(
  sql: Sql,
  organizationUuid: string,
  pageSize: number,
): Promise<number | null> {
  const { rows } = await sql.query<{ created: number | null }>({
    name: 'fan_out',
    text: 'select posthorn.fan_out($1, $2) as created',
    values: [organizationUuid, pageSize],
  })
  return rows[0]?.created ?? null
}

async function hasFanOuts(sql: Sql, organizationUuid: string): Promise<boolean> {
  const { rows } = await sql.query(
    'select from posthorn.fan_outs where organization_id = $1 limit 1',
    [organizationUuid],
  )
  return rows.length > 0
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
