import { useRef } from 'react'
import { type LiveState, useLive } from '../../api/use-live.ts'
import { usePolling } from '../../api/use-polling.ts'
import {
  DeliveriesAttemptRecordedDocument,
  DeliveryDeliveryFinishedDocument,
  type DeliveryQuery,
} from '../../generated/graphql.ts'
import { isFinished } from '../delivery-states.ts'

const RELOAD_EVERY_MS = 500
/** No live event reports that a backlog moves on, so a waiting delivery is polled. */
const REFRESH_EVERY_MS = 5_000

type Delivery = NonNullable<DeliveryQuery['delivery']>

/** Reloads a delivery when a live event concerns it. */
export function useLiveDelivery(
  delivery: Delivery | null | undefined,
  reload: () => void,
): LiveState {
  const reloadNeeded = useRef(false)
  const refreshAt = useRef(0)
  usePolling(RELOAD_EVERY_MS, () => {
    const now = Date.now()
    const unsettled =
      delivery && !isFinished(delivery.state) && !(Date.parse(delivery.nextAttemptAt ?? '') > now)
    if (unsettled && now > refreshAt.current) reloadNeeded.current = true
    if (!reloadNeeded.current) return
    reloadNeeded.current = false
    refreshAt.current = now + REFRESH_EVERY_MS
    reload()
  })

  function onLiveEvent(id: string | undefined) {
    if (id === delivery?.id) reloadNeeded.current = true
  }
  const onMissed = () => {
    reloadNeeded.current = true
  }
  const variables = { webhookId: delivery?.webhookId ?? '' }
  // A deleted webhook sends no live events, and a session for one delivery receives none.
  const paused = !delivery || delivery.webhook === null
  const state = useLive(DeliveriesAttemptRecordedDocument, variables, {
    paused,
    onData: ({ attemptRecorded }) => onLiveEvent(attemptRecorded?.delivery?.id),
    onMissed,
  })
  useLive(DeliveryDeliveryFinishedDocument, variables, {
    paused,
    onData: ({ deliveryFinished }) => onLiveEvent(deliveryFinished?.id),
    onMissed,
  })
  return state
}
