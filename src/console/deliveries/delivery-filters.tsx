import { EventTypeSelect } from '../components/filters/event-type-select.tsx'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterSelect } from '../components/filters/filter-select.tsx'
import { TIME_FILTERS, TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { WebhookSelect } from '../components/filters/webhook-select.tsx'
import { DELIVERY_STATES } from '../components/state-badge.tsx'
import type { DeliveryFilter, Outcome, StatusClass } from '../generated/graphql.ts'

const OUTCOMES: readonly { value: Outcome; label: string }[] = [
  { value: 'FAILED', label: 'Any failure' },
]
const STATUS_CLASSES: readonly { value: StatusClass; label: string }[] = [
  { value: 'SUCCESS_2XX', label: '2xx: succeeded' },
  { value: 'REDIRECTION_3XX', label: '3xx: redirected' },
  { value: 'CLIENT_ERROR_4XX', label: '4xx: rejected' },
  { value: 'SERVER_ERROR_5XX', label: '5xx: failed' },
  { value: 'NO_RESPONSE', label: 'No response' },
]

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
    ...(isOneOf(STATUS_CLASSES, status) && { statusClasses: [status] }),
    ...(isOneOf(OUTCOMES, status) && { outcome: status }),
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
        data={[...OUTCOMES, ...STATUS_CLASSES]}
        value={values.status}
        onChange={(status) => set({ status })}
      />
      <EventTypeSelect value={values.type} onChange={(type) => set({ type })} w={230} />
      <TimeRange values={values} set={set} />
    </FilterBar>
  )
}
