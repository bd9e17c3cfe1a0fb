import { useRead } from '../../api/use-read.ts'
import { PickEventTypeDocument } from '../../generated/graphql.ts'
import { FilterMultiSelect } from './filter-multi-select.tsx'

interface EventTypeMultiSelectProps {
  readonly values: readonly string[]
  onChange(names: readonly string[]): void
}

/** Picks event types, archived ones included, because events of them exist. */
export function EventTypeMultiSelect({ values, onChange }: EventTypeMultiSelectProps) {
  const { data } = useRead(PickEventTypeDocument, {})
  const names = new Set([...(data?.eventTypes.map(({ name }) => name) ?? []), ...values])
  return (
    <FilterMultiSelect
      label="Event type"
      w={190}
      searchable
      options={[...names].map((name) => ({ value: name, label: name }))}
      values={values}
      onChange={onChange}
    />
  )
}
