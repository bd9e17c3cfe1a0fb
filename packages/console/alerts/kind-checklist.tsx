import { Checkbox, Stack, Text } from '@mantine/core'
import type { AlertKind } from '../generated/graphql.ts'
import { ALL_KINDS, KINDS } from './alert-kinds.ts'

interface KindChecklistProps {
  readonly chosen: readonly AlertKind[]
  readonly error: string | undefined
  onChange(chosen: readonly AlertKind[]): void
}

/** Picks the kinds of alerts that an address gets. */
export function KindChecklist({ chosen, error, onChange }: KindChecklistProps) {
  return (
    <Checkbox.Group
      label="Alerts"
      value={[...chosen]}
      onChange={(kinds) => onChange(kinds as AlertKind[])}
      error={error}
    >
      <Stack gap={8} my="xs">
        {ALL_KINDS.map((kind) => (
          <Checkbox
            key={kind}
            value={kind}
            label={
              <>
                {KINDS[kind].label}{' '}
                <Text span size="sm" c="dimmed">
                  {KINDS[kind].when}
                </Text>
              </>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
