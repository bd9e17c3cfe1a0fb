import type { Database, Sql } from '../db/client.ts'
import { isDatabaseUnavailable } from '../db/faults.ts'
import { publicId } from '../db/ids.ts'
import { inTransaction } from '../db/transaction.ts'
import { eraseEvents, type Unsent } from '../deliveries/erase-events.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { type Page, runPages } from '../queue/background.ts'
import type { ReportCanceled } from '../telemetry/events.ts'
import { selectEvents } from './select-events.ts'
import { FIRST_ID, type Selection } from './selection.ts'

export interface ErasureDeps {
  readonly pool: Database['pool']
  readonly keyring: Keyring
}

/** Consecutive faults of Posthorn after which an erasure fails. graphile-worker's backoff separates them. */
const MAX_FAULTS = 10

/** How often an erasure looks whether the transactions of its start have ended. */
const SETTLE_POLL_MS = 500

/** A transaction of another database, or one that somebody has forgotten, can run for days. */
const SETTLE_TIMEOUT_MINUTES = 10

/** The pause before another pass, for events whose deliveries are not sent yet. */
const MIN_PAUSE_SECONDS = 2
const MAX_PAUSE_SECONDS = 300

/** Runs the next pages of an erasure, and adds the job for the rest. */
export async function continueErasure(
  deps: ErasureDeps,
  uuid: string,
  signal: AbortSignal | undefined,
  reportCanceled: ReportCanceled,
): Promise<void> {
  const erasureId = publicId('erasure', uuid)
  let count = 0
  async function runNext(): Promise<ErasurePage | null> {
    const page = await runErasurePage(deps, uuid)
    count += page?.canceled ?? 0
    return page
  }
  const job = { task: 'continue_erasure', key: erasureId, payload: () => ({ erasureId }) } as const
  try {
    await runPages(deps.pool, job, runNext, signal)
  } finally {
    reportCanceled({ count, reason: 'erasure', ids: { erasureId } })
  }
}

export interface ErasurePage extends Page {
  readonly canceled: number
}

interface Erasure {
  readonly id: string
  readonly organizationUuid: string
  readonly selection: Selection
  readonly value: string | null
  readonly unsent: Unsent
  readonly step: 'events' | 'settle' | 'statistics'
  readonly oldestEventId: string | null
  readonly analyzed: string | null
  readonly reachedId: string
  readonly pass: number
  readonly waiting: number
  readonly isSettled: boolean
}

/**
 * Erases the next contents and moves the cursor, in one transaction, so that a killed process leaves whole pages. The row of
 * the erasure is locked until the commit. Null if the erasure has ended.
 */
export async function runErasurePage(deps: ErasureDeps, uuid: string): Promise<ErasurePage | null> {
  try {
    return await inTransaction(deps.pool, async (sql) => {
      const found = await lockErasure(sql, uuid)
      if (!found) return null
      const { row, waitMs } = found
      const { organizationUuid } = row
      if (waitMs > 0) return { organizationUuid, waitMs, canceled: 0 }
      const erasure = { ...row, value: readValue(deps.keyring, row) }
      return { organizationUuid, ...(await RUN[erasure.step](sql, erasure)) }
    })
  } catch (error) {
    return await recordFault(deps.pool, uuid, error)
  }
}

type Ran = Pick<ErasurePage, 'waitMs' | 'canceled'>

const RUN: Record<Erasure['step'], (sql: Sql, erasure: Erasure) => Promise<Ran>> = {
  async events(sql, erasure) {
    const { id, organizationUuid, unsent, reachedId } = erasure
    const page = await selectEvents(sql, erasure, reachedId)
    const options = { unsent, responses: true }
    const erased = await eraseEvents(sql, organizationUuid, page.uuids, options)
    const { canceledDeliveries: canceled } = erased.counts
    // An event with many deliveries takes several pages.
    const reached = erased.isWhole ? page.reachedId : reachedId
    const waiting = erased.isWhole ? erased.waiting : 0
    const isLast = erased.isWhole && page.last
    const [step, next] = isLast ? (['settle', FIRST_ID] as const) : (['events', reached] as const)
    const oldestEventId = erased.counts.events > 0 ? (page.uuids[0] ?? null) : null
    const counts = { ...erased.counts }
    await move(sql, id, { step, reachedId: next, waiting, oldestEventId, erased: counts })
    return { waitMs: 0, canceled }
  },

  /** One more pass finds what was being published when the erasure started. Further ones wait for what is sent first. */
  async settle(sql, erasure) {
    const { id, pass, waiting, isSettled } = erasure
    if (!isSettled) return { waitMs: SETTLE_POLL_MS, canceled: 0 }
    if (pass > 1 && waiting === 0) {
      await sql.query(`update posthorn.erasures set step = 'statistics' where id = $1`, [id])
      return { waitMs: 0, canceled: 0 }
    }
    const { rows } = await sql.query<{ waitMs: number }>(
      `update posthorn.erasures set step = 'events', reached_id = $2, pass = pass + 1,
         next_page_at = case when pass = 1 then now() else clock_timestamp() + least(
           greatest((now() - posthorn.uuid_v7_timestamp(id)) / 20, interval '${MIN_PAUSE_SECONDS} seconds'),
           interval '${MAX_PAUSE_SECONDS} seconds') end
       where id = $1 returning ${WAIT_MS}`,
      [id, FIRST_ID],
    )
    return { waitMs: rows[0]?.waitMs ?? null, canceled: 0 }
  },

  /** A page analyzes a table. */
  async statistics(sql, erasure) {
    const { id, oldestEventId, analyzed } = erasure
    const { rows } = await sql.query<{ analyzed: string | null }>(
      'select posthorn.analyze_erased($1, $2) as analyzed',
      [oldestEventId, analyzed],
    )
    const next = rows[0]?.analyzed ?? null
    if (next === null) {
      await complete(sql, id)
      return { waitMs: null, canceled: 0 }
    }
    await sql.query('update posthorn.erasures set analyzed = $2 where id = $1', [id, next])
    return { waitMs: 0, canceled: 0 }
  },
}

/** SQL: the milliseconds until the next page. */
const WAIT_MS = `
  ceil(greatest(0, extract(epoch from next_page_at - clock_timestamp()) * 1000))::float8 as "waitMs"`

type LockedRow = Omit<Erasure, 'value'> & { readonly ciphertext: Buffer | null }

async function lockErasure(sql: Sql, uuid: string) {
  const { rows } = await sql.query<LockedRow & { waitMs: number }>(
    `select id, organization_id as "organizationUuid", selection, value_ciphertext as ciphertext, unsent, step,
       reached_id as "reachedId", oldest_event_id as "oldestEventId", analyzed, pass, waiting, ${WAIT_MS},
       pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= started_xid
         or posthorn.uuid_v7_timestamp(id) < now() - ${SETTLE_TIMEOUT_MINUTES} * interval '1 minute' as "isSettled"
     from posthorn.erasures where id = $1 and state = 'running' for update`,
    [uuid],
  )
  const [found] = rows
  if (!found) return null
  const { waitMs, ...row } = found
  return { waitMs, row }
}

function readValue(keyring: Keyring, { id, ciphertext }: LockedRow): string | null {
  return ciphertext && keyring.decrypt(ciphertext, id).toString()
}

interface Moved {
  readonly step: Erasure['step']
  readonly reachedId: string
  readonly waiting: number
  readonly oldestEventId: string | null
  readonly erased: Readonly<Record<string, number>>
}

async function move(sql: Sql, uuid: string, moved: Moved) {
  const { step, reachedId, waiting, oldestEventId, erased } = moved
  await sql.query(
    `update posthorn.erasures as e set step = $2, reached_id = $3, fault_count = 0,
       -- A pass counts from its first page on: until then, the count of the pass before is shown.
       waiting = case when step = 'events' and reached_id = '${FIRST_ID}' then 0 else waiting end + $4,
       oldest_event_id = least(oldest_event_id, $6::uuid),
       erased = e.erased || (
         select coalesce(jsonb_object_agg(place, coalesce((e.erased ->> place)::int, 0) + count::int), '{}')
         from jsonb_each_text($5::jsonb) as given (place, count))
     where id = $1`,
    [uuid, step, reachedId, waiting, JSON.stringify(erased), oldestEventId],
  )
}

async function complete(sql: Sql, uuid: string): Promise<void> {
  await sql.query(
    `update posthorn.erasures set state = 'completed', finished_at = now(), value_ciphertext = null where id = $1`,
    [uuid],
  )
}

/** Fails the erasure after `MAX_FAULTS` consecutive faults. An unavailable database does not count. */
async function recordFault(sql: Sql, uuid: string, error: unknown): Promise<never> {
  if (isDatabaseUnavailable(error)) throw error
  await sql.query(
    `update posthorn.erasures set fault_count = fault_count + 1,
       state = case when fault_count + 1 >= ${MAX_FAULTS} then 'failed' else state end,
       failure = case when fault_count + 1 >= ${MAX_FAULTS} then $2 end,
       finished_at = case when fault_count + 1 >= ${MAX_FAULTS} then now() end,
       value_ciphertext = case when fault_count + 1 < ${MAX_FAULTS} then value_ciphertext end
     where id = $1 and state = 'running'`,
    [uuid, FAILURE],
  )
  throw error
}

const FAILURE =
  'An internal error stopped the erasure; the worker log has the details. What is erased stays erased. Start another erasure for the rest.'
