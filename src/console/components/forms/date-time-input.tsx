import { TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'

interface DateTimeInputProps {
  readonly label: string
  readonly description?: ReactNode
  /** An RFC 3339 timestamp, or null. */
  readonly value: string | null
  readonly error?: ReactNode
  readonly size?: string
  readonly required?: boolean
  onChange(value: string | null): void
}

/** A date and time in the reader's zone, with the browser's own picker. */
export function DateTimeInput({ value, onChange, ...rest }: DateTimeInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const lastValue = useRef(value)
  // The input is uncontrolled, so that typing keeps its partial value and the focus. Only outside changes are
  // written.
  useEffect(() => {
    if (value === lastValue.current || !input.current) return
    lastValue.current = value
    input.current.value = localText(value)
  }, [value])

  function emit(next: string | null) {
    lastValue.current = next
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
        // While the reader types a part, the browser reports no value, and the last value stays.
        if (text !== '' && !Number.isNaN(at.getTime())) emit(at.toISOString())
        else if (!validity.badInput) emit(null)
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
