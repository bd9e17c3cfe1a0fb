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
    notifySuccess(archived ? `${name} is no longer archived.` : `${name} is archived.`)
    return null
  }

  if (archived) {
    return (
      <Confirm
        opened={opened}
        onClose={onClose}
        title="Unarchive this event type?"
        action="Unarchive"
        onConfirm={confirm}
      >
        Every organization can publish and subscribe to <strong>{name}</strong> again.
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
        No organization can publish <strong>{name}</strong>, or add subscriptions to the event type.
      </p>
      <p>
        {webhookCount
          ? `Existing subscriptions (${formatCount(webhookCount)} in this organization) and events stay, and unfinished deliveries are still sent. You can unarchive the event type at any time.`
          : 'Existing subscriptions and events stay, and unfinished deliveries are still sent. You can unarchive the event type at any time.'}
      </p>
    </Confirm>
  )
}
