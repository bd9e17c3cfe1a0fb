import { Select, type SelectProps } from '@mantine/core'
import { t } from '../../language/t.ts'

interface FilterSelectProps extends Pick<SelectProps, 'data' | 'searchable' | 'w'> {
  readonly label: string
  readonly value: string | null
  /** Null for any. */
  onChange(value: string | null): void
}

/** A filter for one of several values. */
export function FilterSelect(props: FilterSelectProps) {
  return (
    <Select
      placeholder={t('Any')}
      size="xs"
      maw="100%"
      clearable
      clearButtonProps={{ 'aria-label': t('Clear: {label}', { label: props.label }) }}
      nothingFoundMessage={t('No match')}
      {...props}
    />
  )
}
