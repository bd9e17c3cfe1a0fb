import { EventTypeSelect } from '../../components/filters/event-type-select.tsx'
import { FilterBar } from '../../components/filters/filter-bar.tsx'
import { FilterSelect } from '../../components/filters/filter-select.tsx'
import { SearchField } from '../../components/filters/search-field.tsx'
import type { useFilters } from '../../components/filters/use-filters.ts'
import { WEBHOOK_STATES } from '../../components/state-badge.tsx'
import { t } from '../../strings/t.ts'
import type { WEBHOOK_FILTERS } from '../webhook-queries.ts'

type Filters = ReturnType<typeof useFilters<(typeof WEBHOOK_FILTERS)[number]>>

export function WebhookFilters({ values, set, active, clear }: Filters) {
  return (
    <FilterBar active={active} clear={clear}>
      <SearchField
        label={t('webhooks:list.search')}
        placeholder={t('webhooks:list.searchHint')}
        value={values.search ?? ''}
        onChange={(search) => set({ search })}
      />
      <FilterSelect
        label={t('webhooks:list.state')}
        w={150}
        data={WEBHOOK_STATES}
        value={values.state}
        onChange={(state) => set({ state })}
      />
      <EventTypeSelect
        label={t('webhooks:list.subscribesTo')}
        value={values.subscribesTo}
        onChange={(subscribesTo) => set({ subscribesTo })}
        w={230}
      />
    </FilterBar>
  )
}
