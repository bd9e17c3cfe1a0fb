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
      <EmptyState title="There are no webhooks yet">
        Anybody who may create one can register an address here.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      title="There are no webhooks yet"
      action={
        <Button component={Link} to="/webhooks/new">
          Create the first webhook
        </Button>
      }
    >
      Register the HTTPS address of your receiver, and choose which events it is told about.
    </EmptyState>
  )
}
