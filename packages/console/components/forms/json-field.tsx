import type { ReactNode } from 'react'
import { formatJson } from '../json/format-json.ts'
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

/** A field for JSON, checked on every change, and formatted once the reader leaves it. */
export function JsonField({ label, isOptional = false, error, ...props }: JsonFieldProps) {
  const { value, onChange } = props
  return (
    <CodeField
      {...props}
      label={isOptional ? `${label} (optional)` : label}
      error={parseJson(value).error ?? error}
      onBlur={() => {
        const formatted = formatJson(value)
        if (formatted !== null && formatted !== value) onChange(formatted)
      }}
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
