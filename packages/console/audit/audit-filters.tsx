import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterMultiSelect } from '../components/filters/filter-multi-select.tsx'
import { readList, writeList } from '../components/filters/filter-params.ts'
import { TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { useFilters } from '../components/filters/use-filters.ts'
import { oidcHost } from '../page-settings.ts'
import { type Actors, personKey } from './actor.tsx'
import { AUDIT_FILTERS, auditFilter } from './audit-log-query.ts'
import { ACTIONS, SOURCES, SUBJECT_KINDS } from './audit-options.ts'

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
  return (
    <FilterBar
      active={active}
      clear={clear}
      moreActive={values.person !== null || values.source !== null}
      more={
        <>
          {(oidcHost !== '' || values.person !== null) && (
            <FilterMultiSelect
              label="Person"
              w={190}
              searchable
              searchHint="An email address"
              options={withChosen(peopleByKey(actors.people), values.person)}
              toValue={(text) => text || null}
              value={values.person}
              onChange={(person) => set({ person })}
            />
          )}
          <FilterMultiSelect
            label="Source"
            w={150}
            options={SOURCES}
            value={values.source}
            onChange={(source) => set({ source })}
          />
        </>
      }
    >
      <FilterMultiSelect
        label="Action"
        w={190}
        searchable
        options={ACTIONS}
        value={values.action}
        onChange={(action) => set({ action })}
      />
      <FilterMultiSelect
        label="Kind of target"
        w={150}
        options={SUBJECT_KINDS}
        value={values.kind}
        onChange={(kind) => set({ kind })}
      />
      <SubjectInput value={values.subject} onChange={(subject) => set({ subject })} />
      <FilterMultiSelect
        label="API key"
        w={190}
        searchable
        options={withChosen(actors.keys, values.key)}
        value={values.key}
        onChange={(key) => set({ key })}
      />
      <TimeRange values={values} set={set} />
    </FilterBar>
  )
}

/** The options that are known, and those that are chosen. */
function withChosen(known: ReadonlyMap<string, string>, chosen: string | null) {
  const labels = new Map(known)
  for (const value of readList(chosen)) if (!labels.has(value)) labels.set(value, value)
  return [...labels].map(([value, label]) => ({ value, label }))
}

const peopleByKey = (people: readonly string[]) =>
  new Map(people.map((person) => [personKey(person), person]))

interface SubjectInputProps {
  readonly value: string | null
  onChange(value: string | null): void
}

/** Ids or names of event types, with spaces or commas between them. Applies on Enter or blur: only whole ids match. */
function SubjectInput({ value, onChange }: SubjectInputProps) {
  const applied = readList(value).join(' ')
  const [text, setText] = useState(applied)
  useEffect(() => setText(applied), [applied])

  function apply() {
    const ids = text.split(/[\s,]+/).filter((id) => id !== '')
    if (ids.join(' ') !== applied) onChange(writeList(ids))
  }

  return (
    <TextInput
      label="Target"
      size="xs"
      w={220}
      placeholder="wh_…, or an event type"
      value={text}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  )
}
