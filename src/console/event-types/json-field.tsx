import { Button, Group, Text, Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { readJson } from './read-json.ts'

interface JsonFieldProps {
  readonly label: string
  readonly description: ReactNode
  readonly placeholder: string
  readonly value: string
  /** What the server said about it. */
  readonly problem: string | undefined
  onChange(value: string): void
}

/** JSON that is typed by hand, and checked as it is. The key Tab leaves the field, as in any other. */
export function JsonField({ label, description, value, problem, ...props }: JsonFieldProps) {
  const read = readJson(value)
  return (
    <Textarea
      label={
        <>
          {label}{' '}
          <Text span size="sm" c="dimmed" fw={400}>
            (optional)
          </Text>
        </>
      }
      description={description}
      placeholder={props.placeholder}
      autosize
      minRows={6}
      maxRows={24}
      spellCheck={false}
      autoComplete="off"
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      value={value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
      error={read.problem ?? problem}
      inputContainer={(input) => (
        <>
          {input}
          <Group justify="end" mt={6}>
            <Button
              size="compact-xs"
              variant="subtle"
              disabled={read.problem !== null || value.trim() === ''}
              onClick={() => props.onChange(JSON.stringify(read.value, null, 2))}
              aria-label={`Format the ${label.toLowerCase()}`}
            >
              Format
            </Button>
          </Group>
        </>
      )}
    />
  )
}
