import { Button, Group, Text } from '@mantine/core'
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

/** A field for JSON, checked on every change. */
export function JsonField({ label, description, value, error, ...props }: JsonFieldProps) {
  const parsed = parseJson(value)
  return (
    <CodeField
      label={
        <>
          {label}{' '}
          {props.isOptional && (
            <Text span size="sm" c="dimmed" fw={400}>
              (optional)
            </Text>
          )}
        </>
      }
      description={description}
      placeholder={props.placeholder}
      value={value}
      onChange={props.onChange}
      error={parsed.error ?? error}
      inputContainer={(input) => (
        <>
          {input}
          <Group justify="end" mt={6}>
            <Button
              size="compact-xs"
              variant="subtle"
              disabled={parsed.error !== null || value.trim() === ''}
              onClick={() => props.onChange(formatJson(value) ?? value)}
              aria-label={`Format: ${label}`}
            >
              Format
            </Button>
          </Group>
        </>
      )}
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
