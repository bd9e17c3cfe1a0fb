import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { t } from '../../language/t.ts'

const DEBOUNCE_MS = 250

interface SearchFieldProps {
  readonly label: string
  readonly placeholder?: string
  readonly w?: number
  readonly value: string
  /** Called 250 ms after the last keystroke. */
  onChange(value: string): void
}

/** A text filter that applies once the typing stops. */
export function SearchField({ label, placeholder, value, onChange, w = 200 }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const emit = useDebouncedCallback(onChange, DEBOUNCE_MS)
  // Going back, or clearing all filters, changes the value from outside.
  useEffect(() => setTyped(value), [value])

  function change(next: string) {
    setTyped(next)
    emit(next)
  }

  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      size="xs"
      w={w}
      leftSection={<IconSearch size={14} />}
      rightSection={
        typed !== '' && (
          <CloseButton
            size="xs"
            aria-label={t('Clear: {label}', { label })}
            onClick={() => change('')}
          />
        )
      }
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}
