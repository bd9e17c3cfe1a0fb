import { Alert, Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { Confirm } from '../components/confirm.tsx'
import { notifySuccess } from '../components/notify.ts'
import {
  DeliveryCancelDocument,
  type DeliveryQuery,
  DeliveryRedeliverDocument,
} from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { isFinished } from './is-finished.ts'

/** The buttons for a delivery, and why the last action failed. */
export function useDeliveryActions(delivery: NonNullable<DeliveryQuery['delivery']>): {
  buttons: ReactNode
  error: ReactNode
} {
  const { can } = useSession()
  const { run, running } = useAction(DeliveryRedeliverDocument)
  const [confirming, setConfirming] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const { id, state } = delivery
  const finished = isFinished(state)

  async function redeliver(): Promise<string | null> {
    const outcome = await run({ id })
    setError(outcome.ok ? null : outcome.message)
    if (!outcome.ok) return outcome.message
    notifySuccess('Retry queued.')
    return null
  }

  if (!can('deliveries:write')) return { buttons: null, error: null }
  return {
    buttons: (
      <>
        <Button
          variant={finished ? 'filled' : 'default'}
          leftSection={<IconRefresh size={16} />}
          loading={running && !confirming}
          onClick={() => (state === 'SUCCEEDED' ? setConfirming(true) : void redeliver())}
        >
          {finished ? 'Redeliver' : 'Retry now'}
        </Button>
        <Confirm
          opened={confirming}
          onClose={() => setConfirming(false)}
          title="Redeliver this delivery?"
          action="Redeliver"
          onConfirm={redeliver}
        >
          The receiver has already accepted this delivery. It receives the same body and id again.
          Attempts follow until one succeeds or the retry schedule is exhausted.
        </Confirm>
        {!finished && <Cancel id={id} />}
      </>
    ),
    error: error !== null && !confirming && (
      <Alert
        color="red"
        variant="light"
        role="alert"
        title="Action failed"
        withCloseButton
        closeButtonLabel="Close"
        onClose={() => setError(null)}
      >
        {error}
      </Alert>
    ),
  }
}

function Cancel({ id }: { id: string }) {
  const { run } = useAction(DeliveryCancelDocument)
  const [confirming, setConfirming] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setConfirming(true)}>
        Cancel
      </Button>
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title="Cancel this delivery?"
        action="Cancel the delivery"
        destructive
        onConfirm={async () => {
          const outcome = await run({ id })
          if (outcome.ok) notifySuccess('The delivery is canceled.')
          return outcome.ok ? null : outcome.message
        }}
      >
        No further attempts are made, so the receiver may not get this event. A running attempt
        finishes and is recorded. You can redeliver the delivery later.
      </Confirm>
    </>
  )
}
