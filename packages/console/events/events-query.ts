import { pageQuery } from '../api/page-query.ts'
import {
  KEY_FILTERS,
  readKey,
  readTimeRange,
  TIME_FILTERS,
  type TimeBounds,
} from '../components/filters/filter-params.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import { EventDocument, type EventFilter, EventsDocument } from '../generated/graphql.ts'

export const EVENT_FILTERS = ['type', ...KEY_FILTERS, ...TIME_FILTERS] as const

type Values = Readonly<Record<(typeof EVENT_FILTERS)[number], string | null>>

export const eventsQuery = pageQuery(
  EventsDocument,
  ({ search, session }) => {
    const values = readFilters(EVENT_FILTERS, search)
    const range = readTimeRange(values)
    if (!range || session.webhookId !== null || !session.can('events:read')) return null
    return {
      ...readCursors(search),
      filter: eventFilter(values, range),
      withDeliveries: session.can('deliveries:read'),
    }
  },
  ['Event'],
)

/** The filter for the API. */
export function eventFilter(values: Values, range: TimeBounds): EventFilter {
  const key = readKey(values)
  return {
    ...range,
    ...(values.type && { type: values.type }),
    ...(key && { key }),
  }
}

export const eventQuery = pageQuery(EventDocument, ({ params }) => ({ id: params['id'] ?? '' }))
