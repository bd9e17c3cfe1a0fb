import { Alert } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { notifySuccess } from '../components/notify.ts'
import { PageActions } from '../components/page/page-actions.tsx'
import {
  DeliveryCancelDocument,
  type DeliveryQuery,
  DeliveryRedeliverDocument,
} from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
import { isFinished } from './is-finished.ts'

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
  const { id, state } = delivery
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
            {
              label: t(finished ? 'deliveries:delivery.redeliver' : 'deliveries:delivery.retryNow'),
              icon: IconRefresh,
              isPrimary: finished,
              loading: running && !confirming,
              onClick: () => (state === 'SUCCEEDED' ? setConfirming(true) : void redeliver()),
            },
            !finished && {
              label: t('deliveries:delivery.stop'),
              onClick: () => setStopping(true),
            },
          ]}
        />
        <Confirm
          opened={confirming}
          onClose={() => setConfirming(false)}
          title={t('deliveries:delivery.redeliverTitle')}
          action={t('deliveries:delivery.redeliver')}
          onConfirm={redeliver}
        >
          {t('deliveries:delivery.redeliverWarning')}
        </Confirm>
        <StopDelivering id={id} opened={stopping} close={() => setStopping(false)} />
      </>
    ),
    error: error !== null && !confirming && (
      <Alert
        color="red"
        variant="light"
        role="alert"
        title={t('deliveries:delivery.actionFailed')}
        withCloseButton
        closeButtonLabel={t('common:close')}
        onClose={() => setError(null)}
      >
        {error}
      </Alert>
    ),
  }
}

interface StopDeliveringProps {
  readonly id: string
  readonly opened: boolean
  close(): void
}

function StopDelivering({ id, opened, close }: StopDeliveringProps) {
  const { run } = useAction(DeliveryCancelDocument)
  return (
    <Confirm
      opened={opened}
      onClose={close}
      title={t('deliveries:delivery.stopTitle')}
      action={t('deliveries:delivery.stop')}
      dismiss={t('deliveries:delivery.keep')}
      destructive
      onConfirm={async () => {
        const outcome = await run({ id })
        if (outcome.ok) notifySuccess(t('deliveries:delivery.stopped'))
        return outcome.ok ? null : outcome.message
      }}
    >
      {t('deliveries:delivery.stopWarning')}
    </Confirm>
  )
}

/** A disabled or ordered webhook does not receive the delivery at once. */
function queuedText({ webhook, isTest }: NonNullable<DeliveryQuery['delivery']>): string {
  if (webhook?.enabled === false && !isTest) return t('deliveries:delivery.queuedDisabled')
  return t(webhook?.ordered ? 'deliveries:delivery.queuedOrdered' : 'deliveries:delivery.queued')
}
