import {
  CheckIcon,
  CloseButton,
  Combobox,
  Group,
  Input,
  InputBase,
  useCombobox,
} from '@mantine/core'
import { useEffect, useId, useState } from 'react'
import { t } from '../../language/t.ts'
import { readList, readOptions, writeList } from './filter-params.ts'
import './filter-multi-select.css'

interface FilterOption {
  readonly value: string
  readonly label: string
}

interface FilterMultiSelectProps {
  readonly label: string
  readonly options: readonly FilterOption[]
  /** The chosen values, as in the query parameter. */
  readonly value: string | null
  onChange(value: string | null): void
  readonly w: number
  readonly searchable?: boolean
  readonly onSearch?: (text: string) => void
  readonly searchHint?: string
  /** Turns the searched text into a value that is not among the options. Null if no value is meant. */
  readonly toValue?: (text: string) => string | null
}

/** A filter for any of several values. It stays one line high, however many are chosen. */
export function FilterMultiSelect(props: FilterMultiSelectProps) {
  const { label, options, value: param, w, searchable = false, onSearch, searchHint } = props
  // Values that are no options have no meaning, but for texts that can be added.
  const values = props.toValue ? readList(param) : readOptions(param, options)
  const onChange = (chosen: readonly string[]) => props.onChange(writeList(chosen))
  const [search, setSearch] = useState('')
  const labelId = useId()
  const combobox = useCombobox({
    onDropdownOpen: () => combobox.focusSearchInput(),
    onDropdownClose: () => {
      combobox.resetSelectedOption()
      changeSearch('')
    },
  })

  function changeSearch(text: string) {
    setSearch(text)
    onSearch?.(text)
  }

  const added = searchable ? (props.toValue?.(search.trim()) ?? null) : null
  const shown = options.filter((option) => matches(option, search))
  const found = search.trim() === '' ? '' : [added, ...shown.map(({ value }) => value)].join('\n')
  const { resetSelectedOption, selectFirstOption } = combobox

  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the matches, so that Enter chooses the first
  useEffect(() => {
    resetSelectedOption()
    if (found !== '') selectFirstOption()
  }, [found])

  const labels = values.map((value) => options.find((one) => one.value === value)?.label ?? value)
  const text = labels.join(', ')
  return (
    <Combobox
      store={combobox}
      width="max-content"
      position="bottom-start"
      onOptionSubmit={(value) =>
        onChange(
          values.includes(value) ? values.filter((one) => one !== value) : [...values, value],
        )
      }
    >
      <Combobox.Target targetType="button">
        <InputBase
          component="button"
          type="button"
          pointer
          size="xs"
          w={w}
          maw="100%"
          label={label}
          labelProps={{ id: labelId }}
          aria-label={`${label}: ${text || t('Any')}`}
          rightSectionPointerEvents={values.length > 0 ? 'all' : 'none'}
          rightSection={
            values.length > 0 ? (
              <CloseButton
                size="xs"
                aria-label={t('Clear: {label}', { label })}
                onClick={() => onChange([])}
              />
            ) : (
              <Combobox.Chevron />
            )
          }
          onClick={() => combobox.toggleDropdown()}
        >
          {text === '' ? (
            <Input.Placeholder>{t('Any')}</Input.Placeholder>
          ) : (
            <span className="ph-filter-values">{text}</span>
          )}
        </InputBase>
      </Combobox.Target>
      <Combobox.Dropdown miw={w} maw="min(420px, 90vw)">
        {searchable && (
          <Combobox.Search
            aria-label={`Search: ${label}`}
            placeholder={searchHint}
            value={search}
            onChange={({ currentTarget }) => changeSearch(currentTarget.value)}
          />
        )}
        <Combobox.Options
          labelledBy={labelId}
          aria-multiselectable
          mah={280}
          style={{ overflowY: 'auto' }}
        >
          {added !== null && !options.some(({ value }) => value === added) && (
            <Combobox.Option value={added} active={values.includes(added)}>
              {`Add “${added}”`}
            </Combobox.Option>
          )}
          {shown.map(({ value, label: name }) => (
            <Combobox.Option key={value} value={value} active={values.includes(value)}>
              <Group gap="xs" wrap="nowrap">
                <CheckIcon size={11} style={{ opacity: values.includes(value) ? 1 : 0 }} />
                <span>{name}</span>
              </Group>
            </Combobox.Option>
          ))}
          {shown.length === 0 && added === null && <Combobox.Empty>{t('No match')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

function matches({ value, label }: FilterOption, search: string): boolean {
  const text = search.trim().toLowerCase()
  return label.toLowerCase().includes(text) || value.toLowerCase().includes(text)
}
