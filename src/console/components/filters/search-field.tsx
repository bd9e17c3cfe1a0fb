import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'

const QUIET_MS = 250

interface SearchFieldProps {
  readonly label: string
  readonly placeholder?: string
  readonly w?: number
  readonly value: string
  /** Called once nothing more is typed for a moment. */
  onChange(value: string): void
}

/** A filter that is typed: the list follows when the typing rests. */
export function SearchField({ label, placeholder, value, onChange, w = 200 }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const tell = useDebouncedCallback(onChange, QUIET_MS)
  // Going back, or clearing all filters, changes it from outside.
  useEffect(() => setTyped(value), [value])

  function change(next: string) {
    setTyped(next)
    tell(next)
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
          <CloseButton size="xs" aria-label={`Clear: ${label}`} onClick={() => change('')} />
        )
      }
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}
