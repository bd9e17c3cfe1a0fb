import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { t } from '../../language/t.ts'

interface SearchFieldProps {
  readonly label: string
  readonly placeholder?: string
  readonly w?: number
  readonly value: string | null
  /** Called once the typing stops. Null for an empty text. */
  onChange(value: string | null): void
}

/** A text filter that applies once the typing stops. */
export function SearchField({ value, onChange, w = 200, ...props }: SearchFieldProps) {
  const [typed, setTyped] = useState(value ?? '')
  const emit = useDebouncedCallback((text: string) => onChange(text || null), 250)
  // Going back, or clearing all filters, changes the value from outside.
  useEffect(() => setTyped(value ?? ''), [value])

  function change(text: string) {
    setTyped(text)
    emit(text)
  }

  const clearLabel = t('Clear: {label}', { label: props.label })
  return (
    <TextInput
      {...props}
      size="xs"
      w={w}
      leftSection={<IconSearch size={14} />}
      rightSection={
        typed !== '' && <CloseButton size="xs" aria-label={clearLabel} onClick={() => change('')} />
      }
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}
