import type { Sql } from '../db/client.ts'
import { mintUuid, publicId } from '../db/ids.ts'
import type { Unsent } from '../deliveries/erase-events.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { findSearchKey, type SearchKey } from '../event-types/find-search-key.ts'
import { fieldIssue, invalid } from '../lib/errors.ts'
import { countEvents, type SelectedEvents } from './erase.ts'
import { readOwnIds, type StartDeps, type Started, startTask } from './start-task.ts'

export interface ErasureDeps extends StartDeps {
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

/**
 * Starts to erase the contents of events in the background. A dry run only counts them. Throws `invalid`, `not_found` for an
 * id of another organization, and `conflict` if too many erasures of the organization are running.
 */
export async function erase(
  deps: ErasureDeps,
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
    const uuids = await readOwnIds(sql, organizationId, 'event', eventIds, rule)
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
