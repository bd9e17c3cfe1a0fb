import { parseId } from '../db/ids.ts'
import type { SearchKey } from '../event-types/find-search-key.ts'
import { type FieldIssue, fieldIssue, invalid } from '../lib/errors.ts'
import type { ErasureFilter } from './selection.ts'

/** What to erase. Exactly one of the fields is needed, and ids are public ones. */
export interface GivenSelection {
  readonly eventIds?: readonly string[] | null | undefined
  readonly deliveryIds?: readonly string[] | null | undefined
  readonly filter?: ErasureFilter | null | undefined
  readonly key?: SearchKey | null | undefined
}

export type ParsedSelection =
  | { readonly eventUuids: readonly string[] }
  | { readonly deliveryUuids: readonly string[] }
  | { readonly filter: ErasureFilter }
  | { readonly key: SearchKey }

export const MAX_IDS = 1_000
const MAX_TYPES = 100

/** Throws `invalid` with every broken rule. */
export function parseSelection(given: GivenSelection): ParsedSelection {
  const { eventIds, deliveryIds, filter, key } = given
  const count = [eventIds, deliveryIds, filter, key].filter((one) => one != null).length
  if (count !== 1) {
    const rule = `is one of eventIds, deliveryIds, filter and key. Give exactly one of the four, not ${count}.`
    throw invalid([fieldIssue(['eventIds'], 'ids_or_filter', rule)])
  }
  if (eventIds) return { eventUuids: readIds('eventIds', 'event', eventIds) }
  if (deliveryIds) return { deliveryUuids: readIds('deliveryIds', 'delivery', deliveryIds) }
  if (key) return { key }
  return { filter: readFilter(filter ?? {}) }
}

function readIds(
  field: 'eventIds' | 'deliveryIds',
  kind: 'event' | 'delivery',
  ids: readonly string[],
): string[] {
  if (ids.length === 0) throw invalid([fieldIssue([field], 'required', 'must not be empty.')])
  if (ids.length > MAX_IDS) {
    const rule = `must have at most ${MAX_IDS.toLocaleString('en')} entries, not ${ids.length.toLocaleString('en')}. Use a filter or a key for more.`
    throw invalid([fieldIssue([field], 'too_many', rule)])
  }
  return [...new Set(readUuids([field], kind, ids))]
}

function readUuids(
  path: readonly string[],
  kind: 'event' | 'delivery' | 'webhook',
  ids: readonly string[],
): string[] {
  const shape = {
    event: 'an event: evt_…',
    delivery: 'a delivery: msg_…',
    webhook: 'a webhook: wh_…',
  }
  const uuids = ids.map((id) => parseId(kind, id))
  const issues: FieldIssue[] = uuids.flatMap((uuid, i) =>
    uuid === null
      ? [fieldIssue([...path, i], 'invalid_id', `must be the id of ${shape[kind]}.`)]
      : [],
  )
  if (issues.length > 0) throw invalid(issues)
  return uuids as string[]
}

function readFilter({ types, webhookIds, since, until }: ErasureFilter): ErasureFilter {
  const filter: ErasureFilter = {
    ...(types != null && { types: [...new Set(types)] }),
    ...(webhookIds != null && {
      webhookIds: readUuids(['filter', 'webhookIds'], 'webhook', webhookIds),
    }),
    ...(since != null && { since }),
    ...(until != null && { until }),
  }
  const issues: FieldIssue[] = []
  if (Object.keys(filter).length === 0) {
    const rule = 'must have at least one condition. Give since to erase all events since a time.'
    issues.push(fieldIssue(['filter'], 'empty_filter', rule))
  }
  for (const field of ['types', 'webhookIds'] as const) {
    const list = filter[field]
    if (list?.length === 0) {
      issues.push(fieldIssue(['filter', field], 'required', 'must not be empty.'))
    }
    if (list && list.length > MAX_TYPES) {
      const rule = `must have at most ${MAX_TYPES} entries, not ${list.length}.`
      issues.push(fieldIssue(['filter', field], 'too_many', rule))
    }
  }
  if (since && until && since >= until) {
    issues.push(fieldIssue(['filter', 'since'], 'invalid_range', 'must be before filter.until.'))
  }
  if (issues.length > 0) throw invalid(issues)
  return filter
}
