import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterMultiSelect } from '../components/filters/filter-multi-select.tsx'
import { FilterSelect } from '../components/filters/filter-select.tsx'
import { TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { WebhookMultiSelect } from '../components/filters/webhook-select.tsx'
import { CAUSES, causeOf, DURATIONS, RESPONSES } from '../deliveries/list/response-filter.ts'
import { t } from '../language/t.ts'
import { ATTEMPT_FILTERS, attemptFilter } from './attempts-query.ts'

/** The attempt filters in the query parameters. `onlyWebhookId` fixes the webhook. */
export function useAttemptFilters(onlyWebhookId: string | null) {
  const filters = useFilters(ATTEMPT_FILTERS)
  const filter = attemptFilter(filters.values, useTimeRange(filters.values), onlyWebhookId)
  return { ...filters, filter, onlyWebhookId }
}

export function AttemptFilters({ filters }: { filters: ReturnType<typeof useAttemptFilters> }) {
  const { values, set, active, clear, onlyWebhookId } = filters
  return (
    <FilterBar active={active} clear={clear}>
      {onlyWebhookId === null && (
        <WebhookMultiSelect value={values.webhook} onChange={(webhook) => set({ webhook })} />
      )}
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
      <FilterSelect
        label={t('Duration')}
        w={130}
        data={DURATIONS}
        value={values.duration}
        onChange={(chosen) => set({ duration: chosen })}
      />
      <TimeRange values={values} set={set} />
    </FilterBar>
  )
}
