import { Autocomplete, Select, TagsInput, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../language/t.ts'
import type { Condition } from './conditions.ts'
import { KIND_LABELS } from './operators.ts'

interface ValueFieldProps {
  readonly condition: Condition
  readonly choices: string[]
  readonly error: ReactNode
  onChange(values: readonly string[]): void
}

/** The value of a condition, as its kind is typed. */
export function ValueField({
  condition: { op, kind, values },
  choices,
  error,
  onChange,
}: ValueFieldProps) {
  const [value = ''] = values
  const field = { 'aria-label': t('Value'), error, autoComplete: 'off' }
  if (op === 'in') {
    return (
      <TagsInput
        {...field}
        aria-label="Values"
        placeholder={values.length === 0 ? 'Values, each with Enter' : ''}
        acceptValueOnBlur
        data={choices}
        value={[...values]}
        onChange={onChange}
      />
    )
  }
  if (kind === 'null') {
    return (
      <Text size="sm" c="dimmed" lh="36px">
        {KIND_LABELS.null}
      </Text>
    )
  }
  if (kind === 'boolean') {
    return (
      <Select
        {...field}
        allowDeselect={false}
        data={['true', 'false']}
        value={value}
        onChange={(chosen) => chosen && onChange([chosen])}
      />
    )
  }
  if (kind === 'text') {
    return (
      <Autocomplete {...field} data={choices} value={value} onChange={(text) => onChange([text])} />
    )
  }
  return (
    <TextInput
      {...field}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      placeholder={kind === 'number' ? '100' : '2026-01-31T12:00:00Z'}
      value={value}
      onChange={(event) => onChange([event.currentTarget.value])}
    />
  )
}
