import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { NoneFound } from '../../components/lists/none-found.tsx'
import { Empty } from '../../components/page/empty.tsx'
import { useSession } from '../../session/session.tsx'

interface NoWebhooksProps {
  readonly filtered: boolean
  clear(): void
}

/** Instead of a list of webhooks without any. */
export function NoWebhooks({ filtered, clear }: NoWebhooksProps) {
  const { can } = useSession()
  if (filtered) return <NoneFound what="webhook" clear={clear} />
  if (!can('webhooks:write')) {
    return (
      <Empty title="There are no webhooks yet">
        Anybody who may create one can register an address here.
      </Empty>
    )
  }
  return (
    <Empty
      title="There are no webhooks yet"
      action={
        <Button component={Link} to="/webhooks/new">
          Create the first webhook
        </Button>
      }
    >
      Register the HTTPS address of your receiver, and choose which events it is told about.
    </Empty>
  )
}
