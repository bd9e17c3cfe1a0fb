import { Trans } from 'react-i18next'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { notifySuccess } from '../components/notify.ts'
import { EventTypesArchiveDocument, EventTypesUnarchiveDocument } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'

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

  async function confirm(): Promise<string | null> {
    const outcome = await (archived ? unarchive : archive).run({ id })
    if (!outcome.ok) return outcome.message
    notifySuccess(
      archived
        ? t('eventTypes:archiveEventType.unarchived', { name })
        : t('eventTypes:archiveEventType.archived', { name }),
    )
    return null
  }

  if (archived) {
    return (
      <Confirm
        opened={opened}
        onClose={onClose}
        title={t('eventTypes:archiveEventType.unarchiveTitle')}
        action={t('eventTypes:archiveEventType.unarchive')}
        onConfirm={confirm}
      >
        <Trans
          ns="eventTypes"
          i18nKey="archiveEventType.unarchiveEffect"
          values={{ name }}
          components={{ strong: <strong /> }}
        />
      </Confirm>
    )
  }
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={t('eventTypes:archiveEventType.archiveTitle')}
      action={t('eventTypes:archiveEventType.archive')}
      destructive
      onConfirm={confirm}
    >
      <p>
        <Trans
          ns="eventTypes"
          i18nKey="archiveEventType.archiveEffect"
          values={{ name }}
          components={{ strong: <strong /> }}
        />
      </p>
      <p>
        {webhookCount
          ? t('eventTypes:archiveEventType.staysWithCount', { count: webhookCount })
          : t('eventTypes:archiveEventType.stays')}
      </p>
    </Confirm>
  )
}
