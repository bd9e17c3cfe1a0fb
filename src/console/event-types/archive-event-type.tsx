import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { notifySuccess } from '../components/notify.ts'
import { formatCount } from '../format.ts'
import { EventTypesArchiveDocument, EventTypesUnarchiveDocument } from '../generated/graphql.ts'

interface ArchiveEventTypeProps {
  readonly name: string
  readonly archived: boolean
  /** Null if unknown. */
  readonly webhookCount: number | null
  readonly opened: boolean
  onClose(): void
}

/** Archives an event type, or restores an archived one. */
export function ArchiveEventType(props: ArchiveEventTypeProps) {
  const { name, archived, webhookCount, opened, onClose } = props
  const archive = useAction(EventTypesArchiveDocument)
  const unarchive = useAction(EventTypesUnarchiveDocument)

  async function confirm(): Promise<string | null> {
    const outcome = await (archived ? unarchive : archive).run({ name })
    if (!outcome.ok) return outcome.message
    notifySuccess(archived ? `${name} is in the catalogue again.` : `${name} is archived.`)
    return null
  }

  if (archived) {
    return (
      <Confirm
        opened={opened}
        onClose={onClose}
        title="Bring this event type back?"
        action="Bring back"
        onConfirm={confirm}
      >
        From now on <strong>{name}</strong> can be published and subscribed to again, by every
        organization.
      </Confirm>
    )
  }
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Archive this event type?"
      action="Archive"
      destructive
      onConfirm={confirm}
    >
      <p>
        From now on <strong>{name}</strong> can no longer be published or newly subscribed to, by
        any organization: publishing it is refused.
      </p>
      <p>
        Subscriptions
        {webhookCount ? ` (${formatCount(webhookCount)} in this organization)` : ''} and what was
        published stay, and deliveries that wait are still sent. You can bring the type back at any
        time.
      </p>
    </Confirm>
  )
}
