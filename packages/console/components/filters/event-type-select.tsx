import { useRead } from '../../api/use-read.ts'
import { PickEventTypeDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { FilterMultiSelect } from './filter-multi-select.tsx'
import { FilterSelect } from './filter-select.tsx'

interface EventTypeSelectProps {
  readonly label?: string
  readonly value: string | null
  onChange(name: string | null): void
  readonly w?: number
}

/** Picks an event type, archived ones included, because events of them exist. */
export function EventTypeSelect({ value, ...props }: EventTypeSelectProps) {
  const names = new Set(useEventTypeNames())
  if (value !== null) names.add(value)
  return (
    <FilterSelect
      label={t('Event type')}
      w={260}
      searchable
      data={[...names]}
      value={value}
      {...props}
    />
  )
}

/** The same for several. */
export function EventTypeMultiSelect(props: Pick<EventTypeSelectProps, 'value' | 'onChange'>) {
  const options = useEventTypeNames().map((name) => ({ value: name, label: name }))
  return (
    <FilterMultiSelect label={t('Event type')} w={190} searchable options={options} {...props} />
  )
}

function useEventTypeNames(): string[] {
  return useRead(PickEventTypeDocument, {}).data?.eventTypes.map(({ name }) => name) ?? []
}
