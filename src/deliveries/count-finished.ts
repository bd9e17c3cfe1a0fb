import type { Sql } from '../db/client.ts'

/**
 * The tables of queued deliveries that have not finished. The exhausted ones are listed: a task keeps them in its items,
 * and a recovery in a table of its own.
 */
const TABLES = {
  delivery_task_items: { owner: 'task_id', keepsExhausted: true },
  recovery_items: { owner: 'recovery_id', keepsExhausted: false },
} as const

type ItemTable = keyof typeof TABLES

const PAGE_SIZE = 2_000

/** The pause between two passes over the unfinished deliveries: a twentieth of the age of the task or recovery, within these bounds. */
const MIN_PAUSE_SECONDS = 2
const MAX_PAUSE_SECONDS = 300

/** SQL: the pause, for the row of a task or recovery. */
export const PAUSE = `least(
  greatest((now() - posthorn.uuid_v7_timestamp(id)) / 20, interval '${MIN_PAUSE_SECONDS} seconds'),
  interval '${MAX_PAUSE_SECONDS} seconds')`

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

export interface FinishedPage {
  readonly succeeded: number
  readonly exhausted: number
  readonly canceled: number
  /** The cursor of the next page, which begins again after the last one. */
  readonly reachedId: string
  /** Whether this was the last page of a pass over all items. */
  readonly passed: boolean
}

/**
 * Counts which of the next unfinished deliveries of a task or recovery have finished, and removes them from its items, so
 * every pass reads fewer. The primary key of the items serves each page.
 */
export async function countFinished(
  sql: Sql,
  table: ItemTable,
  ownerUuid: string,
  reachedId: string,
): Promise<FinishedPage> {
  const { rows } = await sql.query<FinishedPage & { read: number; lastId: string | null }>({
    name: `count_finished_of_${table}`,
    text: countFinishedIn(table),
    values: [ownerUuid, reachedId],
  })
  const [page] = rows
  if (!page) throw new Error(`A page of ${table} has no row.`)
  const { read, lastId, ...counts } = page
  const passed = read < PAGE_SIZE
  return { ...counts, passed, reachedId: passed || lastId === null ? FIRST_ID : lastId }
}

/** A delivery without a row was deleted with its organization. Only finished deliveries are ever deleted. */
function countFinishedIn(table: ItemTable): string {
  const { owner, keepsExhausted } = TABLES[table]
  const ifKept = (sql: string) => (keepsExhausted ? sql : '')
  return `
    with page as materialized (
      select delivery_id from posthorn.${table}
      where ${owner} = $1 and delivery_id > $2 ${ifKept('and not exhausted')}
      order by delivery_id limit ${PAGE_SIZE}
    ),
    finished as materialized (
      select page.delivery_id, d.state from page left join lateral (
        select state from posthorn.deliveries as d where d.id = page.delivery_id offset 0
      ) as d on true
      where d.state is distinct from 'pending'
    ),
    ${ifKept(`marked as (
      update posthorn.${table} as i set exhausted = true from finished
      where i.${owner} = $1 and i.delivery_id = finished.delivery_id and finished.state = 'exhausted'
    ),`)}
    removed as (
      delete from posthorn.${table} as i using finished
      where i.${owner} = $1 and i.delivery_id = finished.delivery_id
        ${ifKept(`and finished.state is distinct from 'exhausted'`)}
    )${keepsExhausted ? '' : LIST_FAILURES}
    select (select count(*)::int from page) as read,
      (select delivery_id from page order by delivery_id desc limit 1) as "lastId",
      count(*) filter (where state = 'succeeded')::int as succeeded,
      count(*) filter (where state = 'exhausted')::int as exhausted,
      count(*) filter (where state = 'canceled')::int as canceled
    from finished`
}

const LIST_FAILURES = `,
    listed as (
      insert into posthorn.recovery_failures (recovery_id, delivery_id)
      select $1::uuid, delivery_id from finished where state = 'exhausted' on conflict do nothing
    )`
