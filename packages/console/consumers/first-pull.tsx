import { Group, Stack, Text } from '@mantine/core'
import { CopyButton } from '../components/copy-button.tsx'
import { CodeBlock } from '../components/json/code-block.tsx'
import { EmptyState } from '../components/page/empty-state.tsx'
import { mount } from '../mount.ts'
import { useSession } from '../session/session.tsx'

/** Instead of an empty list: the two calls to begin with. */
export function FirstPull() {
  const { id } = useSession().viewer.organization
  const code = firstCalls(mount.organizationId === null ? '' : id)
  return (
    <Stack gap="sm" maw={760}>
      <EmptyState title="No consumers yet">
        A program that cannot receive webhooks can ask for events instead, at its own pace. Its
        first pull creates the consumer; what it does not acknowledge is given to a later pull.
      </EmptyState>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          Set POSTHORN_API_KEY to an API key with the scope events:read.
        </Text>
        <CopyButton value={code} label="Copy the curl code" />
      </Group>
      <CodeBlock code={code} label="curl code" maxHeight={460} />
    </Stack>
  )
}

/** Pull, and acknowledge. `organization`: the one that an operator acts for, or empty. */
function firstCalls(organization: string): string {
  const headers = `  -H "Authorization: Bearer $POSTHORN_API_KEY"${organization && ` \\\n  -H 'Posthorn-Organization: ${organization}'`}`
  return `# Waits up to 20 seconds for events. The first pull creates the consumer.
curl '${location.origin}/api/events/v1/pull?consumer=billing&max=100&wait=20' \\
${headers}

# With the lease of the answer, once the events are processed.
curl '${location.origin}/api/events/v1/acknowledge' \\
${headers} \\
  -H 'Content-Type: application/json' \\
  -d '{ "consumer": "billing", "lease": "LEASE" }'`
}
