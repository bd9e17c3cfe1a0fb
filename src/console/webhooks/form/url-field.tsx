import { TextInput } from '@mantine/core'
import { type FocusEvent, type ReactNode, useState } from 'react'

const SCHEME = 'https://'

interface UrlFieldProps {
  readonly value?: string
  readonly error?: ReactNode
  onChange(value: unknown): void
  onBlur?(event: FocusEvent): void
}

/** The address of a receiver. While its `https://` is only being typed, nothing is wrong with it yet. */
export function UrlField({ value = '', error, onBlur, ...input }: UrlFieldProps) {
  const [left, setLeft] = useState(false)
  const isBegun = SCHEME.startsWith(value.toLowerCase()) && !left
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
      error={isBegun && value !== '' ? undefined : error}
      onBlur={(event) => {
        setLeft(true)
        onBlur?.(event)
      }}
      {...input}
    />
  )
}
