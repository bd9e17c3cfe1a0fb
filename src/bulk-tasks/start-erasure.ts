import type { Sql } from '../db/client.ts'
import { mintUuid, publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import type { Unsent } from '../deliveries/erase-events.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { findSearchKey, type SearchKey } from '../event-types/find-search-key.ts'
import { fieldIssue, invalid, notFound } from '../lib/errors.ts'
import { parseIds } from './parse-task.ts'
import { countEvents, type EventCount, type SelectedEvents } from './select-events.ts'
import { type StartDeps, startTask } from './start-task.ts'

export interface ErasureDeps extends StartDeps {
  readonly sql: Sql
  readonly webhooks: { readonly keyring: Keyring }
}

/** Exactly one of `eventIds` and `searchKey` is needed. */
export interface ErasureInput {
  /** Public ids. */
  readonly eventIds?: readonly string[] | null | undefined
  readonly searchKey?: SearchKey | null | undefined
  readonly unsent: Unsent
  readonly dryRun?: boolean | null | undefined
}

/** A started erasure, or the count of a dry run. */
export interface StartedErasure extends EventCount {
  /** A public id. Null for a dry run. */
  readonly taskId: string | null
}

/**
 * Starts to erase the contents of events in the background. A dry run only counts them. Throws `invalid`, `not_found` for an
 * id of another organization, and `conflict` if too many erasures of the organization are running.
 */
export async function erase(
  deps: ErasureDeps,
  organizationId: string,
  input: ErasureInput,
): Promise<StartedErasure> {
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
    const uuids = parseIds('event', 'eventIds', eventIds, {
      max: MAX_EVENTS,
      remedy: 'Start several erasures.',
    })
    const own = await selectIds(
      sql,
      'select id from posthorn.events where id = any ($1::uuid[]) and organization_id = $2',
      [uuids, organizationId],
    )
    const unknown = uuids.find((uuid) => !own.has(uuid))
    if (unknown) throw notFound('event', publicId('event', unknown))
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
