import { EventTypeMultiSelect } from '../../components/filters/event-type-select.tsx'
import { FilterBar } from '../../components/filters/filter-bar.tsx'
import { FilterMultiSelect } from '../../components/filters/filter-multi-select.tsx'
import { FilterSelect } from '../../components/filters/filter-select.tsx'
import { KeyFilter } from '../../components/filters/key-filter.tsx'
import { TimeRange, useTimeRange } from '../../components/filters/time-range.tsx'
import { useFilters } from '../../components/filters/use-filters.ts'
import { WebhookMultiSelect } from '../../components/filters/webhook-select.tsx'
import { t } from '../../language/t.ts'
import { DELIVERY_FILTERS } from '../deliveries-query.ts'
import { DELIVERY_STATES } from '../delivery-states.ts'
import { deliveryFilter } from './delivery-filter.ts'
import { CAUSES, causeOf, DURATIONS, RESPONSES } from './response-filter.ts'

/** The delivery filters in the query parameters. `onlyWebhookId` fixes the webhook. */
export function useDeliveryFilters(onlyWebhookId: string | null) {
  const filters = useFilters(DELIVERY_FILTERS)
  const attempted = useTimeRange(filters.values)
  const filter = deliveryFilter(filters.values, { attempted, onlyWebhookId })
  return { ...filters, filter, onlyWebhookId, key: JSON.stringify(filters.values) }
}

export function DeliveryFilters({ filters }: { filters: ReturnType<typeof useDeliveryFilters> }) {
  const { values, set, active, clear, onlyWebhookId } = filters
  const { type, duration, key } = values
  const more = [type, duration, key]
  return (
    <FilterBar
      active={active}
      clear={clear}
      moreActive={more.some((value) => value !== null)}
      more={
        <>
          <EventTypeMultiSelect value={type} onChange={(chosen) => set({ type: chosen })} />
          <FilterSelect
            label={t('Duration')}
            w={130}
            data={DURATIONS}
            value={duration}
            onChange={(chosen) => set({ duration: chosen })}
          />
          <KeyFilter values={values} set={set} />
        </>
      }
    >
      {onlyWebhookId === null && (
        <WebhookMultiSelect value={values.webhook} onChange={(webhook) => set({ webhook })} />
      )}
      <FilterMultiSelect
        label={t('State')}
        w={140}
        options={DELIVERY_STATES}
        value={values.state}
        onChange={(state) => set({ state })}
      />
      <FilterMultiSelect
        label={t('Response')}
        w={140}
        options={RESPONSES}
        value={values.status}
        onChange={(status) => set({ status })}
      />
      <FilterMultiSelect
        label={t('Status or error')}
        w={150}
        searchable
        searchHint="A status such as 502, or an error"
        options={CAUSES}
        toValue={causeOf}
        value={values.cause}
        onChange={(cause) => set({ cause })}
      />
      <TimeRange label="Attempted" values={values} set={set} />
    </FilterBar>
  )
}
