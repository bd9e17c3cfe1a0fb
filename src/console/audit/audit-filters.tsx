import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterMultiSelect } from '../components/filters/filter-multi-select.tsx'
import { readList, readOptions, writeList } from '../components/filters/list-param.ts'
import { TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { oidcHost } from '../session/oidc.ts'
import { type Actors, personKey } from './actor.tsx'
import { AUDIT_FILTERS, auditFilter } from './audit-log-query.ts'
import { ACTIONS, SOURCES, SUBJECT_KINDS } from './audit-options.ts'
import { SubjectInput } from './subject-input.tsx'

/** The filters of the audit log in the query parameters. */
export function useAuditFilters() {
  const filters = useFilters(AUDIT_FILTERS)
  return { ...filters, filter: auditFilter(filters.values, useTimeRange(filters.values)) }
}

interface AuditFiltersProps {
  readonly filters: ReturnType<typeof useAuditFilters>
  readonly actors: Actors
}

export function AuditFilters({ filters, actors }: AuditFiltersProps) {
  const { values, set, active, clear } = filters
  const keys = readList(values.key)
  const people = readList(values.person)
  return (
    <FilterBar
      active={active}
      clear={clear}
      moreActive={values.person !== null || values.source !== null}
      more={
        <>
          {(oidcHost !== '' || people.length > 0) && (
            <FilterMultiSelect
              label="Person"
              w={190}
              searchable
              searchHint="An email address"
              options={peopleOptions(actors.people, people)}
              toValue={(text) => text || null}
              values={people}
              onChange={(chosen) => set({ person: writeList(chosen) })}
            />
          )}
          <FilterMultiSelect
            label="Source"
            w={150}
            options={SOURCES}
            values={readOptions(values.source, SOURCES)}
            onChange={(chosen) => set({ source: writeList(chosen) })}
          />
        </>
      }
    >
      <FilterMultiSelect
        label="Action"
        w={190}
        searchable
        options={ACTIONS}
        values={readOptions(values.action, ACTIONS)}
        onChange={(chosen) => set({ action: writeList(chosen) })}
      />
      <FilterMultiSelect
        label="Kind of target"
        w={150}
        options={SUBJECT_KINDS}
        values={readOptions(values.kind, SUBJECT_KINDS)}
        onChange={(chosen) => set({ kind: writeList(chosen) })}
      />
      <SubjectInput
        values={readList(values.subject)}
        onChange={(ids) => set({ subject: writeList(ids) })}
      />
      <FilterMultiSelect
        label="API key"
        w={190}
        searchable
        options={[...actors.keys].map(([value, label]) => ({ value, label }))}
        values={keys}
        onChange={(chosen) => set({ key: writeList(chosen) })}
      />
      <TimeRange values={values} set={set} />
    </FilterBar>
  )
}

/** Those who signed in lately, and those who are chosen. */
function peopleOptions(people: readonly string[], chosen: readonly string[]) {
  const labels = new Map(chosen.map((value) => [value, value]))
  for (const person of people) labels.set(personKey(person), person)
  return [...labels].map(([value, label]) => ({ value, label }))
}
