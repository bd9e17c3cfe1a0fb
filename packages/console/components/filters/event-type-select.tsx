import { useRead } from '../../api/use-read.ts'
import { PickEventTypeDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { FilterMultiSelect } from './filter-multi-select.tsx'
import { readList } from './filter-params.ts'
import { FilterSelect } from './filter-select.tsx'

interface EventTypeSelectProps {
  readonly label?: string
  readonly value: string | null
  onChange(name: string | null): void
  readonly w?: number
}

/** Picks an event type, archived ones included, because events of them exist. */
export function EventTypeSelect(props: EventTypeSelectProps) {
  const { label = t('Event type'), value, onChange, w = 260 } = props
  const { data } = useRead(PickEventTypeDocument, {})
  const names = new Set(data?.eventTypes.map(({ name }) => name))
  if (value !== null) names.add(value)
  return (
    <FilterSelect
      label={label}
      w={w}
      searchable
      data={[...names]}
      value={value}
      onChange={onChange}
    />
  )
}

interface EventTypeMultiSelectProps {
  readonly value: string | null
  onChange(value: string | null): void
}

/** Picks event types, archived ones included, because events of them exist. */
export function EventTypeMultiSelect({ value, onChange }: EventTypeMultiSelectProps) {
  const { data } = useRead(PickEventTypeDocument, {})
  const names = new Set([...(data?.eventTypes.map(({ name }) => name) ?? []), ...readList(value)])
  return (
    <FilterMultiSelect
      label={t('Event type')}
      w={190}
      searchable
      options={[...names].map((name) => ({ value: name, label: name }))}
      value={value}
      onChange={onChange}
    />
  )
}
