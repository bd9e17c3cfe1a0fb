import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { formatCount } from '../format.ts'
import { useSession } from '../session/session.tsx'
import type { ApiKey } from './key-state.tsx'
import { LimitsForm } from './limits-form.tsx'

/** Shows the rate limits of a key, and lets key managers change them. */
export function EditLimits({ apiKey }: { apiKey: ApiKey }) {
  const { can } = useSession()
  const [editing, edit] = useDisclosure()
  const { requestsPerSecond, eventsPerSecond, deliveriesPerSecond } = apiKey
  return (
    <Stack gap="xs" component="section">
      <Text fw={600} size="sm" component="h3" m={0}>
        Rate limits
      </Text>
      {editing ? (
        <LimitsForm apiKey={apiKey} onClose={edit.close} />
      ) : (
        <Group justify="space-between">
          <Text size="sm">
            {`${formatCount(requestsPerSecond)} requests, ${formatCount(eventsPerSecond)} events and ${formatCount(deliveriesPerSecond)} deliveries per second, averaged over ten seconds.`}
          </Text>
          {can('keys:manage') && !apiKey.revokedAt && (
            <Button size="xs" variant="default" onClick={edit.open}>
              Edit limits
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}
