import { Alert } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useAction } from '../../api/use-action.ts'
import { Confirm } from '../../components/confirm.tsx'
import { notifySuccess } from '../../components/notify.ts'
import { PageActions } from '../../components/page/page-actions.tsx'
import {
  DeliveryCancelDocument,
  type DeliveryQuery,
  DeliveryRedeliverDocument,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { isFinished } from '../delivery-states.ts'

/** The buttons for a delivery, and why the last action failed. */
export function useDeliveryActions(delivery: NonNullable<DeliveryQuery['delivery']>): {
  buttons: ReactNode
  error: ReactNode
} {
  const { can } = useSession()
  const { run, running } = useAction(DeliveryRedeliverDocument)
  const [confirming, setConfirming] = useState(false)
  const [stopping, setStopping] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const { id, state, payloadState } = delivery
  const finished = isFinished(state)

  async function redeliver(): Promise<string | null> {
    const outcome = await run({ id })
    setError(outcome.ok ? null : outcome.message)
    if (!outcome.ok) return outcome.message
    notifySuccess(queuedText(delivery))
    return null
  }

  if (!can('deliveries:write')) return { buttons: null, error: null }
  return {
    buttons: (
      <>
        <PageActions
          actions={[
            payloadState === 'KEPT' && {
              label: finished ? t('Redeliver') : t('Retry now'),
              icon: IconRefresh,
              isPrimary: finished,
              loading: running && !confirming,
              onClick: () => (state === 'SUCCEEDED' ? setConfirming(true) : void redeliver()),
            },
            !finished && { label: t('Stop delivering'), onClick: () => setStopping(true) },
          ]}
        />
        <Confirm
          opened={confirming}
          onClose={() => setConfirming(false)}
          title={t('Redeliver this delivery?')}
          action={t('Redeliver')}
          onConfirm={redeliver}
        >
          The receiver has already accepted this delivery, and receives the same body and id again.
          Attempts follow until one succeeds or no retries are left.
        </Confirm>
        <StopDelivering id={id} opened={stopping} close={() => setStopping(false)} />
      </>
    ),
    error: error !== null && !confirming && (
      <Alert
        color="red"
        variant="light"
        role="alert"
        title={t('Action failed')}
        withCloseButton
        closeButtonLabel={t('Close')}
        onClose={() => setError(null)}
      >
        {error}
      </Alert>
    ),
  }
}

function StopDelivering({ id, opened, close }: { id: string; opened: boolean; close(): void }) {
  const { run } = useAction(DeliveryCancelDocument)
  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('Stop this delivery?')}
      action={t('Stop delivering')}
      dismiss={t('Keep')}
      destructive
      onConfirm={() => run({ id })}
      success={t('Delivery canceled.')}
    >
      No further attempts are made, so the receiver may not get this event. An attempt in flight
      finishes and is recorded. You can redeliver the delivery later.
    </Confirm>
  )
}

/** A disabled or ordered webhook does not receive the delivery at once. */
function queuedText({ webhook, isTest }: NonNullable<DeliveryQuery['delivery']>): string {
  if (webhook?.enabled === false && !isTest)
    return 'Webhook is disabled: the delivery waits until you enable the webhook.'
  if (webhook?.health?.state === 'ON_HOLD')
    return 'Webhook is on hold: the delivery waits until the webhook works again or is resumed.'
  return webhook?.ordered
    ? 'Retry queued. Earlier deliveries of this ordered webhook go first.'
    : t('Retry queued.')
}
