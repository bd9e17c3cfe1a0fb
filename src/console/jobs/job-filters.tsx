import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterSelect } from '../components/filters/filter-select.tsx'
import { jobStateLabel } from './job-state.tsx'
import { JOB_STATES } from './jobs-queries.ts'

interface JobFiltersProps {
  readonly task: string | null
  readonly state: string | null
  readonly tasks: readonly string[]
  readonly active: boolean
  set(changes: { task?: string | null; state?: string | null }): void
  clear(): void
}

export function JobFilters({ task, state, tasks, active, set, clear }: JobFiltersProps) {
  const known = [...new Set([...tasks, ...(task ? [task] : [])])]
  return (
    <FilterBar active={active} clear={clear}>
      <FilterSelect
        label="Task"
        searchable
        data={known}
        value={task}
        onChange={(chosen) => set({ task: chosen })}
        w={200}
      />
      <FilterSelect
        label="State"
        data={JOB_STATES.map((value) => ({ value, label: jobStateLabel(value) }))}
        value={state}
        onChange={(chosen) => set({ state: chosen })}
        w={150}
      />
    </FilterBar>
  )
}
