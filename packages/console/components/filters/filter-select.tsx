import { Select, type SelectProps } from '@mantine/core'
import { t } from '../../language/t.ts'

interface FilterSelectProps extends Pick<SelectProps, 'searchable' | 'onSearchChange'> {
  readonly label: string
  readonly data: SelectProps['data']
  readonly value: string | null
  /** Null for any. */
  onChange(value: string | null): void
  readonly w: number
}

/** A filter for one of several values. */
export function FilterSelect({ label, onChange, ...rest }: FilterSelectProps) {
  return (
    <Select
      label={label}
      placeholder={t('Any')}
      size="xs"
      maw="100%"
      clearable
      clearButtonProps={{ 'aria-label': t('Clear: {label}', { label }) }}
      nothingFoundMessage={t('No match')}
      onChange={onChange}
      {...rest}
    />
  )
}
