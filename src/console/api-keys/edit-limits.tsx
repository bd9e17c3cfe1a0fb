import { Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
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
        {t('apiKeys:editLimits.title')}
      </Text>
      {editing ? (
        <LimitsForm apiKey={apiKey} onClose={edit.close} />
      ) : (
        <Group justify="space-between">
          <Text size="sm">
            {t('apiKeys:editLimits.summary', {
              requests: requestsPerSecond,
              events: eventsPerSecond,
              deliveries: deliveriesPerSecond,
            })}
          </Text>
          {can('keys:manage') && !apiKey.revokedAt && (
            <Button size="xs" variant="default" onClick={edit.open}>
              {t('apiKeys:editLimits.edit')}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}
