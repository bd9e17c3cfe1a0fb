import type { Sql } from '../db/client.ts'
import { batched } from '../lib/batch.ts'

/**
 * Creates the remaining deliveries of an organization's published events, page by page, for up to `MAX_RUN_MS`; then adds
 * a job for the rest. A page and its progress commit together, so that a killed process leaves whole pages. Returns at
 * once if it already runs for the organization, in this process or another one; that run then also creates the rest.
 */
export type FanOut = (organizationUuid: string, signal: AbortSignal) => Promise<void>

/** Other organizations publish while Postgres creates a page, so it is small. */
const PAGE_SIZE = 250

const MAX_RUN_MS = 900

type CreatePage = (organizationUuid: string) => Promise<number | null>

/** A process creates one page at a time, so that organizations take turns and use one connection together. */
export function createFanOut(sql: Sql, pageSize = PAGE_SIZE): FanOut {
  const createPage: CreatePage = batched(
    async ([organizationUuid]: string[]) => [
      await createDeliveries(sql, organizationUuid as string, pageSize),
    ],
    { maxSize: 1, parallel: 1 },
  )
  const runs = new Map<string, { again: boolean }>()
  return async (organizationUuid, signal) => {
    const earlier = runs.get(organizationUuid)
    if (earlier) {
      earlier.again = true
      return
    }
    const run = { again: true }
    runs.set(organizationUuid, run)
    try {
      while (run.again) {
        run.again = false
        await createPages(sql, createPage, organizationUuid, signal)
      }
    } finally {
      runs.delete(organizationUuid)
    }
  }
}

async function createPages(
  sql: Sql,
  createPage: CreatePage,
  organizationUuid: string,
  signal: AbortSignal,
): Promise<void> {
  const endsAtMs = performance.now() + MAX_RUN_MS
  for (;;) {
    const created = await createPage(organizationUuid)
    if (created === null) return
    // Other processes leave later events to the one that creates a page, so its last look must come after that page.
    if (created === 0 && !(await hasFanOuts(sql, organizationUuid))) return
    if (signal.aborted || performance.now() > endsAtMs) {
      await sql.query('select posthorn.start_fan_out($1)', [organizationUuid])
      return
    }
  }
}

/** Returns the number of created deliveries, or `null` if another process creates a page of the organization. */
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
