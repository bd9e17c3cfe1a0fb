import { ActionIcon, Autocomplete, Button, Group, Stack, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { includedBy, isPattern, isValidPattern, possiblePatterns } from './subscriptions.ts'

interface PatternFieldProps {
  /** The subscriptions: names and patterns. */
  readonly value: readonly string[]
  /** The names of the event types. */
  readonly names: readonly string[]
  onChange(value: string[]): void
}

/** The patterns of a webhook, with what each includes today, and a field to add one. */
export function PatternField({ value, names, onChange }: PatternFieldProps) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string | null>(null)
  const patterns = value.filter(isPattern)

  function add() {
    const pattern = text.trim()
    if (!isValidPattern(pattern)) {
      setError('Enter the first words of names and an asterisk, such as order.*, or * for all.')
      return
    }
    setText('')
    setError(null)
    if (!value.includes(pattern)) onChange([...value, pattern])
  }

  return (
    <Stack gap="sm">
      {patterns.map((pattern) => (
        <Group key={pattern} gap="xs" wrap="nowrap" align="start">
          <Stack gap={0} flex={1} miw={0}>
            <Text size="sm" className="ph-mono">
              {pattern}
            </Text>
            <Text size="xs" c="dimmed">
              {todayOf(includedBy([pattern], names))}
            </Text>
          </Stack>
          <ActionIcon
            size={36}
            variant="subtle"
            color="gray"
            aria-label={`Remove the pattern ${pattern}`}
            onClick={() => onChange(value.filter((one) => one !== pattern))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <Group gap="xs" align="end">
        <Autocomplete
          flex="1 1 14rem"
          label="Pattern"
          description="Includes types that come later: order.* all that begin with order., and * all."
          placeholder={SAMPLE}
          autoComplete="off"
          data={possiblePatterns(names).filter((one) => !value.includes(one))}
          limit={50}
          value={text}
          error={error}
          onChange={(typed) => {
            setText(typed)
            setError(null)
          }}
          onKeyDown={(event) => {
            // In the list, Enter chooses. Elsewhere, Enter would send the form.
            const chooses = event.currentTarget.hasAttribute('aria-activedescendant')
            if (event.key !== 'Enter' || chooses) return
            event.preventDefault()
            if (text.trim() !== '') add()
          }}
        />
        <Button
          size="xs"
          h={36}
          variant="default"
          leftSection={<IconPlus size={14} />}
          disabled={text.trim() === ''}
          onClick={add}
        >
          Add pattern
        </Button>
      </Group>
    </Stack>
  )
}

const SAMPLE = 'order.*'
const MAX_NAMED = 8

function todayOf(names: readonly string[]): string {
  if (names.length === 0) return 'Includes no event type today, and those that come later.'
  const list = names.slice(0, MAX_NAMED).join(', ')
  return names.length > MAX_NAMED
    ? `Includes ${names.length} types today, such as ${list}, and those that come later.`
    : `Includes ${list} today, and types that come later.`
}
