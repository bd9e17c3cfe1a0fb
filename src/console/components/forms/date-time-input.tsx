import { TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

interface DateTimeInputProps {
  readonly label: string
  readonly description?: ReactNode
  /** An instant as RFC 3339 has it, or null while none is chosen. */
  readonly value: string | null
  readonly error?: ReactNode
  readonly size?: string
  readonly required?: boolean
  onChange(value: string | null): void
}

/** A date and a time in the reader's zone, by the browser's own calendar. */
export function DateTimeInput({ value, onChange, ...rest }: DateTimeInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const told = useRef(value)
  // Only what was chosen elsewhere is written into the field: it keeps what is being typed into it, and the focus.
  useEffect(() => {
    if (value === told.current || !input.current) return
    told.current = value
    input.current.value = localText(value)
  }, [value])

  function tell(next: string | null) {
    told.current = next
    onChange(next)
  }

  return (
    <TextInput
      {...rest}
      ref={input}
      type="datetime-local"
      withAsterisk={false}
      defaultValue={localText(value)}
      onChange={(event) => {
        const { value: text, validity } = event.currentTarget
        const at = new Date(text)
        // While a part is being typed, the browser gives no value, and the last one stays.
        if (text !== '' && !Number.isNaN(at.getTime())) tell(at.toISOString())
        else if (!validity.badInput) tell(null)
      }}
    />
  )
}

/** `2026-01-31T12:00`, in the reader's zone. */
function localText(at: string | null): string {
  if (at === null) return ''
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 16)
}
