import { useRead } from '../../api/use-read.ts'
import { PickEventTypeDocument } from '../../generated/graphql.ts'
import { FilterMultiSelect } from './filter-multi-select.tsx'
import { readList } from './list-param.ts'

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
      label="Event type"
      w={190}
      searchable
      options={[...names].map((name) => ({ value: name, label: name }))}
      value={value}
      onChange={onChange}
    />
  )
}
