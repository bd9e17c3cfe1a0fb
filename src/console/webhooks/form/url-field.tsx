import { TextInput } from '@mantine/core'
import { type FocusEvent, type ReactNode, useState } from 'react'
import { t } from '../../strings/t.ts'

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
      label={t('webhooks:urlField.label')}
      description={t('webhooks:urlField.hint')}
      type="url"
      inputMode="url"
      autoComplete="off"
      placeholder={t('webhooks:urlField.placeholder')}
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
