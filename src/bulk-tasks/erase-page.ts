import type { Sql } from '../db/client.ts'
import { eraseEvents } from '../deliveries/erase-events.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import type { LockedTask, PageResult } from './page.ts'
import { selectEvents } from './select-events.ts'
import { type Erasure, FIRST_ID } from './selection.ts'

/** How often an erasure looks whether the transactions of its start have ended. */
const SETTLE_POLL_MS = 500

/** The pause before another pass, for events whose deliveries are not sent yet: a twentieth of the age of the task. */
const MIN_PAUSE_MS = 2_000
const MAX_PAUSE_MS = 300_000

/** How far an erasure is, besides the cursor. */
interface Progress {
  /** Missing: the first pass over the events. */
  readonly pass?: number
  readonly oldestEventId?: string
  /** The last table of which the statistics are new. Missing while events are erased. */
  readonly analyzed?: string
}

/**
 * Erases the contents of the next events. A second pass finds what was being published when the task started. Further ones
 * wait for what is sent first. At last, each page renews the statistics of a table.
 */
export async function erasePage(
  sql: Sql,
  task: LockedTask<Erasure>,
  value: string | null,
): Promise<PageResult> {
  const { id, organizationId, selection } = task
  const progress: Progress = task.progress
  const { pass = 1, analyzed } = progress
  if (analyzed !== undefined) return await renewStatistics(sql, progress)
  if (pass > 1 && !task.isSettled) return { waitMs: SETTLE_POLL_MS }
  const page = await selectEvents(sql, { organizationId, selection, value }, task.reachedId)
  const options = { unsent: selection.unsent, responses: true }
  const { isWhole, ...erased } = await eraseEvents(sql, organizationId, page.uuids, options)
  // Until a pass has read its first events, the count of the pass before is shown.
  const before = task.reachedId === FIRST_ID ? 0 : task.waiting
  const waiting = before + (isWhole ? erased.waiting : 0)
  const first = erased.events > 0 ? page.uuids[0] : undefined
  const [oldestEventId] = [first, progress.oldestEventId].filter((one) => one !== undefined).sort()
  const result = { changed: erased.events, canceled: erased.canceled, waiting }
  const next = { ...progress, ...(oldestEventId && { oldestEventId }) }
  // An event with many deliveries takes several pages.
  if (!isWhole) return { ...result, progress: next }
  if (!page.last) return { ...result, progress: next, reachedId: page.reachedId }
  if (pass > 1 && waiting === 0) return { ...result, progress: { ...next, analyzed: '' } }
  const age = Date.now() - timestampOf(id).getTime()
  const pauseMs = Math.min(Math.max(age / 20, MIN_PAUSE_MS), MAX_PAUSE_MS)
  const waitMs = pass === 1 ? 0 : pauseMs
  return { ...result, progress: { ...next, pass: pass + 1 }, reachedId: FIRST_ID, waitMs }
}

async function renewStatistics(sql: Sql, progress: Progress): Promise<PageResult> {
  const { rows } = await sql.query<{ analyzed: string | null }>(
    'select posthorn.analyze_erased($1, $2) as analyzed',
    [progress.oldestEventId ?? null, progress.analyzed || null],
  )
  const analyzed = rows[0]?.analyzed
  return analyzed == null ? { state: 'completed' } : { progress: { ...progress, analyzed } }
}
