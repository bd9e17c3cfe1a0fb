import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { NoMatches } from '../../components/lists/no-matches.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { useSession } from '../../session/session.tsx'

interface NoWebhooksProps {
  readonly filtered: boolean
  clear(): void
}

/** Replaces an empty list of webhooks. */
export function NoWebhooks({ filtered, clear }: NoWebhooksProps) {
  const { can } = useSession()
  if (filtered) return <NoMatches noun="webhook" clear={clear} />
  if (!can('webhooks:write')) {
    return (
      <EmptyState title="No webhooks yet">
        Creating a webhook requires the scope webhooks:write.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title="No webhooks yet"
      action={
        <Button component={Link} to="/webhooks/new">
          Create webhook
        </Button>
      }
    >
      Register the HTTPS URL of your endpoint, and choose the event types that the endpoint
      receives.
    </EmptyState>
  )
}
