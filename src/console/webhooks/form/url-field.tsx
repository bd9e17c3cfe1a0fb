import { TextInput } from '@mantine/core'
import { type FocusEvent, type ReactNode, useState } from 'react'

const SCHEME = 'https://'

interface UrlFieldProps {
  readonly value?: string
  readonly error?: ReactNode
  onChange(value: unknown): void
  onBlur?(event: FocusEvent): void
}

/** The URL of the endpoint. Shows no error while `https://` is still being typed. */
export function UrlField({ value = '', error, onBlur, ...input }: UrlFieldProps) {
  const [blurred, setBlurred] = useState(false)
  const isIncomplete = SCHEME.startsWith(value.toLowerCase()) && !blurred
  return (
    <TextInput
      label="URL"
      description="Deliveries are POSTed to it, so it must be HTTPS and reachable from the internet."
      type="url"
      inputMode="url"
      autoComplete="off"
      placeholder="https://example.com/webhooks"
      withAsterisk
      required
      data-autofocus
      value={value}
      error={isIncomplete && value !== '' ? undefined : error}
      onBlur={(event) => {
        setBlurred(true)
        onBlur?.(event)
      }}
      {...input}
    />
  )
}
