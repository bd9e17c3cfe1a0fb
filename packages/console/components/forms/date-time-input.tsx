import { TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTimeZone } from '../../lib/time-zone.ts'

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

/** A date and time in the zone of the reader's choice, with the browser's own picker. */
export function DateTimeInput({ value, onChange, label, ...rest }: DateTimeInputProps) {
  const isUtc = useTimeZone() === 'utc'
  const input = useRef<HTMLInputElement>(null)
  const text = textOf(value, isUtc)
  const shown = useRef(text)
  // The input is uncontrolled, so that typing keeps its partial value and the focus. Only outside changes are written.
  useEffect(() => {
    if (text !== shown.current && input.current) input.current.value = text
    shown.current = text
  }, [text])

  function emit(next: string | null) {
    shown.current = textOf(next, isUtc)
    onChange(next)
  }

  return (
    <TextInput
      {...rest}
      label={isUtc ? `${label} (UTC)` : label}
      ref={input}
      type="datetime-local"
      withAsterisk={false}
      defaultValue={text}
      onChange={(event) => {
        const { value: typed, validity } = event.currentTarget
        const at = new Date(isUtc ? `${typed}Z` : typed)
        // While the reader types a part, the browser reports no value, and the last value stays.
        if (!Number.isNaN(at.getTime())) emit(at.toISOString())
        else if (!validity.badInput) emit(null)
      }}
    />
  )
}

/** `2026-01-31T12:00`, in the reader's zone or in UTC. */
function textOf(at: string | null, isUtc: boolean): string {
  const date = new Date(at ?? '')
  if (Number.isNaN(date.getTime())) return ''
  const offsetMs = isUtc ? 0 : date.getTimezoneOffset() * 60_000
  return new Date(date.getTime() - offsetMs).toISOString().slice(0, 16)
}
