import { EventTypeSelect } from '../components/filters/event-type-select.tsx'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterSelect } from '../components/filters/filter-select.tsx'
import { TIME_FILTERS, TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { WebhookSelect } from '../components/filters/webhook-select.tsx'
import { DELIVERY_STATES } from '../components/state-badge.tsx'
import type { DeliveryFilter } from '../generated/graphql.ts'
import { RESPONSES, responseFilter } from './response-filter.ts'

/** The delivery filters in the query parameters. `onlyWebhookId` fixes the webhook. */
export function useDeliveryFilters(onlyWebhookId: string | null) {
  const filters = useFilters(['webhook', 'state', 'status', 'type', ...TIME_FILTERS])
  const { state, status, type } = filters.values
  const webhookId = onlyWebhookId ?? filters.values.webhook
  const range = useTimeRange(filters.values)
  const filter: DeliveryFilter = {
    ...range,
    ...(webhookId && { webhookId }),
    ...(isOneOf(DELIVERY_STATES, state) && { states: [state] }),
    ...responseFilter(status),
    ...(type && { eventType: type }),
  }
  return { ...filters, filter, onlyWebhookId }
}

function isOneOf<Value extends string>(
  options: readonly { value: Value }[],
  value: string | null,
): value is Value {
  return options.some((option) => option.value === value)
}

export function DeliveryFilters({ filters }: { filters: ReturnType<typeof useDeliveryFilters> }) {
  const { values, set, active, clear, onlyWebhookId } = filters
  return (
    <FilterBar active={active} clear={clear}>
      {onlyWebhookId === null && (
        <WebhookSelect value={values.webhook} onChange={(webhook) => set({ webhook })} w={220} />
      )}
      <FilterSelect
        label="State"
        w={130}
        data={DELIVERY_STATES}
        value={values.state}
        onChange={(state) => set({ state })}
      />
      <FilterSelect
        label="Last response"
        w={150}
        data={RESPONSES}
        value={values.status}
        onChange={(status) => set({ status })}
      />
      <EventTypeSelect value={values.type} onChange={(type) => set({ type })} w={230} />
      <TimeRange values={values} set={set} />
    </FilterBar>
  )
}
