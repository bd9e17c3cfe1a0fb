import type { Keyring } from '../auth/encryption/keyring.ts'
import type { Sql } from '../db/client.ts'
import { mintUuid, publicId } from '../db/ids.ts'
import {
  eraseEvents,
  firstDeliveryOf,
  MAX_ERASED_EVENTS,
  type Unsent,
} from '../deliveries/erase-events.ts'
import { findSearchKey, type SearchKey } from '../event-types/search-key.ts'
import { fieldIssue, invalid } from '../lib/errors.ts'
import { FIRST_ID, type PageResult, pauseBeforePass, type Work } from '../queue/long-work.ts'
import { MAX_COUNTED, type SelectionCount } from './selected-deliveries.ts'
import { readOwnIds, type StartDeps, type Started, startTask } from './start-task.ts'

/** The events with these uuids, or those with a value at a search key, here its path. */
export interface Erasure {
  readonly eventIds?: readonly string[]
  readonly searchKey?: string
  /** What happens to their deliveries that are not sent yet. */
  readonly unsent: Unsent
}

/** How often an erasure looks whether the transactions of its start have ended. */
const SETTLE_POLL_MS = 500

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
export async function eraseStep(
  keyring: Keyring,
  sql: Sql,
  work: Work<Erasure>,
): Promise<PageResult> {
  const { id, organizationId, selection } = work
  const progress: Progress = work.progress
  const { pass = 1, analyzed } = progress
  if (analyzed !== undefined) return await renewStatistics(sql, progress)
  if (pass > 1 && !work.isSettled) return { waitMs: SETTLE_POLL_MS }
  const value = work.value && keyring.decrypt(work.value, id).toString()
  const page = await selectEvents(sql, { organizationId, selection, value }, work.reachedId)
  const { isWhole, ...erased } = await eraseEvents(
    sql,
    organizationId,
    page.uuids,
    selection.unsent,
  )
  // Until a pass has read its first events, the count of the pass before is shown.
  const before = work.reachedId === FIRST_ID ? 0 : work.waiting
  const waiting = before + (isWhole ? erased.waiting : 0)
  const first = erased.events > 0 ? page.uuids[0] : undefined
  const [oldestEventId] = [first, progress.oldestEventId].filter((one) => one !== undefined).sort()
  const result = { changed: erased.events, canceled: erased.canceled, waiting }
  const next = { ...progress, ...(oldestEventId && { oldestEventId }) }
  // An event with many deliveries takes several pages.
  if (!isWhole) return { ...result, progress: next }
  if (!page.isLast) return { ...result, progress: next, reachedId: page.reachedId }
  if (pass > 1 && waiting === 0) return { ...result, progress: { ...next, analyzed: '' } }
  const waitMs = pass === 1 ? 0 : pauseBeforePass(id)
  return { ...result, progress: { ...next, pass: pass + 1 }, reachedId: FIRST_ID, waitMs }
}

async function renewStatistics(sql: Sql, progress: Progress): Promise<PageResult> {
  const { rows } = await sql.query<{ analyzed: string | null }>(
    'select posthorn.renew_statistics($1, $2) as analyzed',
    [progress.analyzed, progress.oldestEventId ?? null],
  )
  const analyzed = rows[0]?.analyzed
  return analyzed == null ? { isLast: true } : { progress: { ...progress, analyzed } }
}

/** Exactly one of `eventIds` and `searchKey` is needed. */
export interface ErasureInput {
  /** Public ids. */
  readonly eventIds?: readonly string[] | null | undefined
  readonly searchKey?: SearchKey | null | undefined
  readonly unsent: Unsent
  readonly dryRun?: boolean | null | undefined
}

/**
 * Starts to erase the contents of events in the background. A dry run only counts them. Throws `invalid`, `not_found` for an
 * id of another organization, and `conflict` if too many erasures of the organization are running.
 */
export async function erase(
  deps: StartDeps & { readonly webhooks: { readonly keyring: Keyring } },
  organizationId: string,
  input: ErasureInput,
): Promise<Started> {
  const { selection, value } = await readInput(deps.sql, organizationId, input)
  const counted = await countEvents(deps.sql, { organizationId, selection, value })
  if (input.dryRun) return { ...counted, taskId: null }
  const id = mintUuid()
  const { eventIds, ...shown } = selection
  const taskId = await startTask(deps, organizationId, {
    ...{ id, action: 'erase', webhookUuid: null, selection, ratePerSecond: null, counted },
    ...(value !== null && {
      valueCiphertext: deps.webhooks.keyring.encrypt(Buffer.from(value), id),
    }),
    audited: eventIds
      ? { ...shown, eventIds: eventIds.map((uuid) => publicId('event', uuid)) }
      : shown,
  })
  return { ...counted, taskId }
}

async function readInput(
  sql: Sql,
  organizationId: string,
  { eventIds, searchKey, unsent }: ErasureInput,
): Promise<Pick<SelectedEvents, 'selection' | 'value'>> {
  if (eventIds && !searchKey) {
    const rule = { field: 'eventIds', max: MAX_EVENTS, remedy: 'Start several erasures.' } as const
    const uuids = await readOwnIds(sql, organizationId, null, 'event', eventIds, rule)
    return { selection: { eventIds: uuids, unsent }, value: null }
  }
  if (searchKey && !eventIds) {
    const { path, equals } = await findSearchKey(sql, searchKey, 'searchKey')
    return { selection: { searchKey: path, unsent }, value: equals }
  }
  const rule = 'or searchKey is needed. Give exactly one of the two.'
  throw invalid([fieldIssue(['eventIds'], 'ids_or_key', rule)])
}

export const MAX_EVENTS = 1_000

/** The events to erase, with the value of a search key: null for ids. */
interface SelectedEvents {
  readonly organizationId: string
  readonly selection: Erasure
  readonly value: string | null
}

interface EventPage {
  readonly uuids: readonly string[]
  /** The new cursor. */
  readonly reachedId: string
  readonly isLast: boolean
}

/** The next events, in the order of their ids. Those of a search key are not erased, as an erasure deletes its rows. */
async function selectEvents(
  sql: Sql,
  { organizationId, selection, value }: SelectedEvents,
  reachedId: string,
  size = MAX_ERASED_EVENTS,
): Promise<EventPage> {
  if (selection.eventIds) {
    const left = selection.eventIds.filter((uuid) => uuid > reachedId).toSorted()
    const uuids = left.slice(0, size)
    return { uuids, reachedId: uuids.at(-1) ?? reachedId, isLast: left.length <= size }
  }
  // The primary key serves it.
  const { rows } = await sql.query<{ id: string }>({
    name: 'events_of_search_key_to_erase',
    text: `
      select event_id as id from posthorn.event_keys
      where organization_id = $1 and path = $2 and value = $3 and event_id > $4 order by event_id limit $5`,
    values: [organizationId, selection.searchKey, value, reachedId, size],
  })
  const uuids = rows.map(({ id }) => id)
  return { uuids, reachedId: uuids.at(-1) ?? reachedId, isLast: uuids.length < size }
}

/** Events that a page counts at most. */
const COUNTED_PAGE = 2_000

/** Counts the events that an erasure would erase now, and their deliveries that are not sent yet. */
async function countEvents(
  sql: Sql,
  selected: SelectedEvents,
): Promise<SelectionCount & { readonly unsent: number }> {
  let [count, unsent, reachedId] = [0, 0, FIRST_ID]
  for (;;) {
    const page = await selectEvents(sql, selected, reachedId, COUNTED_PAGE)
    const { rows } = await sql.query<{ count: number; unsent: number }>({
      name: 'count_events_to_erase',
      text: `
        select count(*)::int as count, coalesce(sum((
          select count(*) from posthorn.deliveries as d
          where d.event_id = e.id and d.id >= $3 and d.state = 'pending')), 0)::int as unsent
        from posthorn.events as e
        where e.id = any ($1::uuid[]) and e.organization_id = $2 and e.erased_at is null`,
      values: [page.uuids, selected.organizationId, firstDeliveryOf(page.uuids)],
    })
    count += rows[0]?.count ?? 0
    unsent += rows[0]?.unsent ?? 0
    reachedId = page.reachedId
    if (page.isLast) return { count, unsent, exact: true }
    if (count >= MAX_COUNTED) return { count: MAX_COUNTED, unsent, exact: false }
  }
}
