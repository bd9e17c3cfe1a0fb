import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { FilterBar } from '../components/filters/filter-bar.tsx'
import { FilterSelect } from '../components/filters/filter-select.tsx'
import { TIME_FILTERS } from '../components/filters/read-time-range.ts'
import { TimeRange } from '../components/filters/time-range.tsx'
import { t } from '../strings/t.ts'
import { ACTION_LABELS } from './action-labels.ts'
import type { KeyNames } from './actor.tsx'

export const AUDIT_FILTERS = ['action', 'subject', 'key', ...TIME_FILTERS] as const
type FilterName = (typeof AUDIT_FILTERS)[number]

interface AuditFiltersProps {
  readonly values: Readonly<Record<FilterName, string | null>>
  readonly names: KeyNames
  readonly active: boolean
  set(changes: Partial<Record<FilterName, string | null>>): void
  clear(): void
}

export function AuditFilters({ values, names, active, set, clear }: AuditFiltersProps) {
  const keys = [...names].map(([value, label]) => ({ value, label }))
  if (values.key && !names.has(values.key)) keys.push({ value: values.key, label: values.key })
  return (
    <FilterBar active={active} clear={clear}>
      <FilterSelect
        label={t('audit:auditFilters.action')}
        w={190}
        searchable
        data={Object.entries(ACTION_LABELS).map(([value, label]) => ({ value, label }))}
        value={values.action}
        onChange={(action) => set({ action })}
      />
      <SubjectInput value={values.subject ?? ''} onChange={(subject) => set({ subject })} />
      <FilterSelect
        label={t('audit:auditFilters.apiKey')}
        w={190}
        searchable
        data={keys}
        value={values.key}
        onChange={(key) => set({ key })}
      />
      <TimeRange values={values} set={set} />
    </FilterBar>
  )
}

interface SubjectInputProps {
  readonly value: string
  onChange(value: string): void
}

/** Applies on Enter or blur, because only a complete id matches. */
function SubjectInput({ value, onChange }: SubjectInputProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const apply = () => text.trim() !== value && onChange(text.trim())
  return (
    <TextInput
      label={t('audit:auditFilters.target')}
      size="xs"
      w={220}
      placeholder={t('audit:auditFilters.targetPlaceholder')}
      value={text}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  )
}
