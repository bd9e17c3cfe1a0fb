import { pageQuery } from '../api/page-query.ts'
import {
  readList,
  readOptions,
  readTimeRange,
  TIME_FILTERS,
  type TimeBounds,
} from '../components/filters/filter-params.ts'
import { readFilters } from '../components/filters/use-filters.ts'
import { readCursors } from '../components/lists/use-cursors.ts'
import { RESPONSES, readDuration, responseFilter } from '../deliveries/list/response-filter.ts'
import { type AttemptFilter, AttemptsDocument } from '../generated/graphql.ts'

export const ATTEMPT_FILTERS = [
  ...(['webhook', 'status', 'cause', 'duration'] as const),
  ...TIME_FILTERS,
]

type Values = Readonly<Record<(typeof ATTEMPT_FILTERS)[number], string | null>>

export const attemptsQuery = pageQuery(
  AttemptsDocument,
  ({ search, session }) => {
    const values = readFilters(ATTEMPT_FILTERS, search)
    const range = readTimeRange(values)
    if (!range || !session.can('deliveries:read')) return null
    return {
      ...readCursors(search),
      filter: attemptFilter(values, range, session.webhookId),
      withWebhook: session.can('webhooks:read'),
    }
  },
  ['Attempt'],
)

/** The filter for the API. `onlyWebhookId` fixes the webhook. */
export function attemptFilter(
  { webhook, status, cause, duration }: Values,
  range: TimeBounds,
  onlyWebhookId: string | null,
): AttemptFilter {
  const webhookIds = onlyWebhookId ? [onlyWebhookId] : readList(webhook)
  const causes = readList(cause)
  return {
    ...range,
    ...(webhookIds.length > 0 && { webhookIds: [...webhookIds] }),
    ...responseFilter(readOptions(status, RESPONSES)),
    ...(causes.length > 0 && { causes: [...causes] }),
    ...readDuration(duration),
  }
}
