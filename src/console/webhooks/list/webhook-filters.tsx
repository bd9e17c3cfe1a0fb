import { EventTypeSelect } from '../../components/filters/event-type-select.tsx'
import { FilterBar } from '../../components/filters/filter-bar.tsx'
import { FilterSelect } from '../../components/filters/filter-select.tsx'
import { SearchField } from '../../components/filters/search-field.tsx'
import type { useFilters } from '../../components/filters/use-filters.ts'
import { WEBHOOK_STATES } from '../../components/state-badge.tsx'
import type { WEBHOOK_FILTERS } from '../webhook-queries.ts'

type Filters = ReturnType<typeof useFilters<(typeof WEBHOOK_FILTERS)[number]>>

export function WebhookFilters({ values, set, active, clear }: Filters) {
  return (
    <FilterBar active={active} clear={clear}>
      <SearchField
        label="Search"
        placeholder="URL or description"
        value={values.search ?? ''}
        onChange={(search) => set({ search })}
      />
      <FilterSelect
        label="State"
        w={150}
        data={WEBHOOK_STATES}
        value={values.state}
        onChange={(state) => set({ state })}
      />
      <EventTypeSelect
        label="Subscribes to"
        value={values.subscribesTo}
        onChange={(subscribesTo) => set({ subscribesTo })}
        w={230}
      />
    </FilterBar>
  )
}
