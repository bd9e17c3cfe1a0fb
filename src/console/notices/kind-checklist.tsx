import { Checkbox, Stack, Text } from '@mantine/core'
import type { NoticeKind } from '../generated/graphql.ts'
import { ALL_KINDS, KINDS } from './notice-kinds.ts'

interface KindChecklistProps {
  readonly chosen: readonly NoticeKind[]
  readonly error: string | undefined
  onChange(chosen: readonly NoticeKind[]): void
}

/** Picks the kinds of notices that an address gets. */
export function KindChecklist({ chosen, error, onChange }: KindChecklistProps) {
  return (
    <Checkbox.Group
      label="Notices"
      value={[...chosen]}
      onChange={(kinds) => onChange(kinds as NoticeKind[])}
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
