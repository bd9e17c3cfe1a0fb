import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterSelect } from '../components/filters/filter-select.tsx'
import { TIME_FILTERS, TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { WebhookSelect } from '../components/filters/webhook-select.tsx'
import { RESPONSES, responseFilter } from '../deliveries/response-filter.ts'
import type { AttemptFilter } from '../generated/graphql.ts'

const DURATIONS = [
  { value: '1000', label: '1 s or more' },
  { value: '5000', label: '5 s or more' },
  { value: '10000', label: '10 s or more' },
]

/** The attempt filters in the query parameters. `onlyWebhookId` fixes the webhook. */
export function useAttemptFilters(onlyWebhookId: string | null) {
  const filters = useFilters(['webhook', 'response', 'duration', ...TIME_FILTERS])
  const { response, duration } = filters.values
  const webhookId = onlyWebhookId ?? filters.values.webhook
  const range = useTimeRange(filters.values)
  const filter: AttemptFilter = {
    ...range,
    ...(webhookId && { webhookId }),
    ...responseFilter(response),
    ...(DURATIONS.some(({ value }) => value === duration) && { minDurationMs: Number(duration) }),
  }
  return { ...filters, filter, onlyWebhookId }
}

export function AttemptFilters({ filters }: { filters: ReturnType<typeof useAttemptFilters> }) {
  const { values, set, active, clear, onlyWebhookId } = filters
  return (
    <FilterBar active={active} clear={clear}>
      {onlyWebhookId === null && (
        <WebhookSelect value={values.webhook} onChange={(webhook) => set({ webhook })} w={220} />
      )}
      <FilterSelect
        label="Response"
        w={150}
        data={RESPONSES}
        value={values.response}
        onChange={(response) => set({ response })}
      />
      <FilterSelect
        label="Duration"
        w={130}
        data={DURATIONS}
        value={values.duration}
        onChange={(duration) => set({ duration })}
      />
      <TimeRange values={values} set={set} />
    </FilterBar>
  )
}
