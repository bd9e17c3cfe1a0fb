import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { notifyError, notifySuccess } from '../../components/notify.ts'
import { PageActions } from '../../components/page/page-actions.tsx'
import {
  DeliveryCancelDocument,
  type DeliveryQuery,
  DeliveryRedeliverDocument,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { isFinished } from '../delivery-states.ts'

/** Redelivers a delivery, or stops it. Nothing for viewers who may not. */
export function DeliveryActions({
  delivery: { id, state, payloadState },
}: {
  delivery: NonNullable<DeliveryQuery['delivery']>
}) {
  const { can } = useSession()
  const redeliver = useAction(DeliveryRedeliverDocument)
  const cancel = useAction(DeliveryCancelDocument)
  const [asked, setAsked] = useState<'redeliver' | 'stop' | null>(null)
  const dialog = { onClose: () => setAsked(null), destructive: asked === 'stop' }
  const finished = isFinished(state)

  async function retry() {
    const outcome = await redeliver.run({ id })
    if (outcome.ok) notifySuccess(t('Retry queued.'))
    else notifyError(outcome.message)
  }

  if (!can('deliveries:write')) return null
  return (
    <>
      <PageActions
        actions={[
          payloadState === 'KEPT' && {
            label: finished ? t('Redeliver') : t('Retry now'),
            icon: IconRefresh,
            isPrimary: finished,
            loading: redeliver.running && asked === null,
            onClick: () => (state === 'SUCCEEDED' ? setAsked('redeliver') : void retry()),
          },
          !finished && { label: t('Stop delivering'), onClick: () => setAsked('stop') },
        ]}
      />
      <Confirm
        {...dialog}
        opened={asked === 'redeliver'}
        title={t('Redeliver this delivery?')}
        action={t('Redeliver')}
        onConfirm={() => redeliver.run({ id })}
        success={t('Retry queued.')}
      >
        The receiver has already accepted this delivery, and receives the same body and id again.
        Attempts follow until one succeeds or no retries are left.
      </Confirm>
      <Confirm
        {...dialog}
        opened={asked === 'stop'}
        title={t('Stop this delivery?')}
        action={t('Stop delivering')}
        dismiss={t('Keep')}
        onConfirm={() => cancel.run({ id })}
        success={t('Delivery canceled.')}
      >
        No further attempts are made, so the receiver may not get this event. An attempt in flight
        finishes and is recorded. You can redeliver the delivery later.
      </Confirm>
    </>
  )
}
