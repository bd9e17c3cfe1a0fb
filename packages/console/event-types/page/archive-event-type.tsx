import { useState } from 'react'
import { type Outcome, useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { EventTypesUpdateDocument } from '../../generated/graphql.ts'
import { formatCount } from '../../lib/format.ts'
import { breaksSelections } from '../breaks-selections.ts'

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
  const { run } = useAction(EventTypesUpdateDocument)
  // Once the reader has seen which selections break, the same button goes on.
  const [accepts, setAccepts] = useState(false)

  async function noted<Success>(outcome: Promise<Outcome<Success>>): Promise<Outcome<Success>> {
    const result = await outcome
    setAccepts(!result.ok && breaksSelections(result))
    return result
  }

  function close() {
    setAccepts(false)
    onClose()
  }

  const input = { archived: !archived, acceptBrokenSelections: accepts }
  if (archived) {
    return (
      <Confirm
        opened={opened}
        onClose={close}
        title="Unarchive this event type?"
        action={accepts ? 'Unarchive all the same' : 'Unarchive'}
        onConfirm={() => noted(run({ id, input }))}
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
      onClose={close}
      title="Archive this event type?"
      action={accepts ? 'Archive all the same' : 'Archive'}
      destructive
      onConfirm={() => noted(run({ id, input }))}
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
