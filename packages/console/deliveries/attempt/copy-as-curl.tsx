import { Group, List, Popover, Text, UnstyledButton } from '@mantine/core'
import { CopyButton } from '../../components/copy-button.tsx'
import { asCurl } from './as-curl.ts'

/** Copies the request as a curl command, with notes to read before running it. */
export function CopyAsCurl({ request }: { request: Parameters<typeof asCurl>[0] }) {
  const { command, notes } = asCurl(request)
  return (
    <Group gap="sm">
      <CopyButton value={command} label="Copy as curl" labelled />
      <Popover width={320} withArrow shadow="md">
        <Popover.Target>
          <UnstyledButton fz="xs" c="var(--mantine-color-anchor)" td="underline">
            Before you run this
          </UnstyledButton>
        </Popover.Target>
        <Popover.Dropdown aria-label="Before you run this">
          <List size="xs" spacing={6}>
            {notes.map((note) => (
              <List.Item key={note}>
                <Text size="xs" span>
                  {note}
                </Text>
              </List.Item>
            ))}
          </List>
        </Popover.Dropdown>
      </Popover>
    </Group>
  )
}
