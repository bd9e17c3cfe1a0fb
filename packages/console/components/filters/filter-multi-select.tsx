import { CloseButton, MultiSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { t } from '../../language/t.ts'
import { readList, writeList } from './filter-params.ts'

interface FilterMultiSelectProps {
  readonly label: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  /** The chosen values, as in the query parameter. */
  readonly value: string | null
  onChange(value: string | null): void
  readonly w: number
  readonly searchable?: boolean
  readonly onSearch?: (text: string) => void
  /** Shown instead of options where none matches. */
  readonly searchHint?: string
  /** Turns the searched text into a value that is not among the options. Null if no value is meant. */
  readonly toValue?: (text: string) => string | null
}

/** A filter for any of several values. It stays one line high, however many are chosen. */
export function FilterMultiSelect(props: FilterMultiSelectProps) {
  const { label, options, value, onChange, w, searchable = false, onSearch, searchHint } = props
  const [search, setSearch] = useState('')
  const values = readList(value)
  const labels = new Map(options.map((option) => [option.value, option.label]))
  for (const chosen of values) if (!labels.has(chosen)) labels.set(chosen, chosen)
  const added = props.toValue?.(search.trim()) ?? null
  if (added !== null && !labels.has(added)) labels.set(added, `Add “${added}”`)
  const text = values.map((chosen) => labels.get(chosen)).join(', ')
  return (
    <MultiSelect
      label={label}
      aria-label={`${label}: ${text || t('Any')}`}
      placeholder={text === '' ? t('Any') : ' '}
      size="xs"
      w={w}
      maw="100%"
      data={[...labels].map(([of, name]) => ({ value: of, label: name }))}
      value={[...values]}
      onChange={(chosen) => onChange(writeList(chosen))}
      searchable={searchable}
      searchValue={search}
      onSearchChange={(typed) => {
        setSearch(typed)
        onSearch?.(typed)
      }}
      selectFirstOptionOnChange
      nothingFoundMessage={searchHint ?? t('No match')}
      rightSectionPointerEvents={text === '' ? 'none' : 'all'}
      rightSection={
        text === '' ? undefined : (
          <CloseButton
            size="xs"
            aria-label={t('Clear: {label}', { label })}
            onClick={() => onChange(null)}
          />
        )
      }
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      styles={{ pillsList: { flexWrap: 'nowrap' }, inputField: { flex: '1 9 26px', minWidth: 26 } }}
      renderPill={(pill) =>
        pill.value === values[0] && (
          <Text fz="xs" truncate>
            {text}
          </Text>
        )
      }
    />
  )
}
