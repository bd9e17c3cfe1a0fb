import { TextInput } from '@mantine/core'
import { type FocusEvent, type ReactNode, useState } from 'react'
import { useInitialFocus } from '../../components/forms/form-parts.tsx'
import { t } from '../../language/t.ts'

const SCHEME = 'https://'

interface UrlFieldProps {
  /** Whether the page begins with this field. */
  readonly isFirst: boolean
  readonly value?: string
  readonly error?: ReactNode
  onChange(value: unknown): void
  onBlur?(event: FocusEvent): void
}

/** The URL of the endpoint. Shows no error while `https://` is still being typed. */
export function UrlField({ isFirst, value = '', error, onBlur, ...input }: UrlFieldProps) {
  const field = useInitialFocus(isFirst)
  const [blurred, setBlurred] = useState(false)
  const isIncomplete = SCHEME.startsWith(value.toLowerCase()) && !blurred
  return (
    <TextInput
      ref={field}
      label={t('URL')}
      description={t(
        'Posthorn sends deliveries to this URL by POST. Use HTTPS and a host that the internet can reach.',
      )}
      type="url"
      inputMode="url"
      autoComplete="off"
      placeholder="https://example.com/webhooks"
      withAsterisk
      required
      value={value}
      error={isIncomplete && value !== '' ? undefined : error}
      onBlur={(event) => {
        // A field that was only passed has no error yet. An error would also move what the reader clicks.
        if (value === '') return
        setBlurred(true)
        onBlur?.(event)
      }}
      {...input}
    />
  )
}
