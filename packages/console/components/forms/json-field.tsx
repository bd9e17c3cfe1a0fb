import type { ReactNode } from 'react'
import { CodeField } from './code-field.tsx'

interface JsonFieldProps {
  readonly label: string
  readonly description?: ReactNode
  readonly placeholder: string
  readonly value: string
  /** The server's error. */
  readonly error: string | undefined
  /** Whether the label says that the field can stay empty. */
  readonly isOptional?: boolean
  onChange(value: string): void
}

/** A field for JSON, checked on every change. */
export function JsonField({ label, isOptional = false, error, ...props }: JsonFieldProps) {
  return (
    <CodeField
      {...props}
      label={isOptional ? `${label} (optional)` : label}
      error={parseJson(props.value).error ?? error}
    />
  )
}

/** The parsed value (null for an empty text), or an error message. */
type ParsedJson =
  | { readonly value: unknown; readonly error: null }
  | { readonly value?: undefined; readonly error: string }

export function parseJson(text: string): ParsedJson {
  if (text.trim() === '') return { value: null, error: null }
  try {
    return { value: JSON.parse(text), error: null }
  } catch (cause) {
    return { error: `Invalid JSON: ${(cause as Error).message}.` }
  }
}
