import { EventTypeMultiSelect } from '../../components/filters/event-type-select.tsx'
import { FilterBar } from '../../components/filters/filter-bar.tsx'
import { FilterMultiSelect } from '../../components/filters/filter-multi-select.tsx'
import { FilterSelect } from '../../components/filters/filter-select.tsx'
import { KeyFilter } from '../../components/filters/key-filter.tsx'
import { TimeRange, useTimeRange } from '../../components/filters/time-range.tsx'
import { useFilters } from '../../components/filters/use-filters.ts'
import { WebhookMultiSelect } from '../../components/filters/webhook-select.tsx'
import { t } from '../../language/t.ts'
import { DELIVERY_STATES } from '../delivery-states.ts'
import {
  CAUSES,
  causeOf,
  DELIVERY_FILTERS,
  DURATIONS,
  deliveryFilter,
  RESPONSES,
} from './delivery-filter.ts'

/** The delivery filters in the query parameters. `onlyWebhookId` fixes the webhook. */
export function useDeliveryFilters(onlyWebhookId: string | null) {
  const filters = useFilters(DELIVERY_FILTERS)
  const filter = deliveryFilter(filters.values, useTimeRange(filters.values), onlyWebhookId)
  return { ...filters, filter, onlyWebhookId, key: JSON.stringify(filters.values) }
}

export function DeliveryFilters({ filters }: { filters: ReturnType<typeof useDeliveryFilters> }) {
  const { values, set, active, clear, onlyWebhookId } = filters
  const { webhook, state, status, cause, type, duration, key } = values
  return (
    <FilterBar
      active={active}
      clear={clear}
      moreActive={type !== null || duration !== null || key !== null}
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
        <WebhookMultiSelect value={webhook} onChange={(chosen) => set({ webhook: chosen })} />
      )}
      <FilterMultiSelect
        label={t('State')}
        w={140}
        options={DELIVERY_STATES}
        value={state}
        onChange={(chosen) => set({ state: chosen })}
      />
      <FilterMultiSelect
        label={t('Response')}
        w={140}
        options={RESPONSES}
        value={status}
        onChange={(chosen) => set({ status: chosen })}
      />
      <FilterMultiSelect
        label={t('Status or error')}
        w={150}
        searchable
        searchHint="A status such as 502, or an error"
        options={CAUSES}
        toValue={causeOf}
        value={cause}
        onChange={(chosen) => set({ cause: chosen })}
      />
      <TimeRange label="Attempted" values={values} set={set} />
    </FilterBar>
  )
}
