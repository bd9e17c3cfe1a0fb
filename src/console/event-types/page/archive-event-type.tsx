import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { EventTypesArchiveDocument, EventTypesUnarchiveDocument } from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'

interface ArchiveEventTypeProps {
  readonly id: string
  readonly name: string
  readonly archived: boolean
  /** Null if unknown. */
  readonly webhookCount: number | null
  readonly opened: boolean
  onClose(): void
}

/** Archives an event type, or restores an archived one. */
export function ArchiveEventType(props: ArchiveEventTypeProps) {
  const { id, name, archived, webhookCount, opened, onClose } = props
  const archive = useAction(EventTypesArchiveDocument)
  const unarchive = useAction(EventTypesUnarchiveDocument)
  if (archived) {
    return (
      <Confirm
        opened={opened}
        onClose={onClose}
        title="Unarchive this event type?"
        action="Unarchive"
        onConfirm={() => unarchive.run({ id })}
        success={`${name} is no longer archived.`}
      >
        Every organization can publish and subscribe to <strong>{name}</strong> again.
      </Confirm>
    )
  }
  const inThisOrganization = webhookCount
    ? ` (${formatCount(webhookCount)} in this organization)`
    : ''
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title="Archive this event type?"
      action="Archive"
      destructive
      onConfirm={() => archive.run({ id })}
      success={`${name} is archived.`}
    >
      <p>
        No organization can publish <strong>{name}</strong>, or add subscriptions to the event type.
      </p>
      <p>
        {`Existing subscriptions${inThisOrganization} and events stay, and unfinished deliveries are still sent. You can unarchive the event type at any time.`}
      </p>
    </Confirm>
  )
}
