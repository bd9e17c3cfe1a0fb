import { Stack } from '@mantine/core'
import { EmptyState } from '../components/page/empty-state.tsx'
import { CodeTabs } from '../components/snippets/code-tabs.tsx'
import { mount } from '../mount.ts'
import { useSession } from '../session/session.tsx'
import { pullSnippets } from './pull-code.ts'

/** Instead of an empty list: the two calls to begin with. */
export function FirstPull() {
  const { viewer } = useSession()
  const snippets = pullSnippets({
    origin: location.origin,
    organizationId: viewer.organization.id,
    actsFor: mount.organizationId !== null,
  })
  return (
    <Stack gap="sm" maw={760}>
      <EmptyState title="No consumers yet">
        A program that cannot receive webhooks can ask for events instead, at its own pace. Its
        first pull creates the consumer; what it does not acknowledge is given to a later pull.
      </EmptyState>
      <CodeTabs
        snippets={snippets}
        storedAs="posthorn.pull-in"
        needs={() => 'Set POSTHORN_API_KEY to an API key with the scope events:read.'}
      />
    </Stack>
  )
}
