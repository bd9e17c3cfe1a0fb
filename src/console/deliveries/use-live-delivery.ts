import { useEffect, useEffectEvent, useRef } from 'react'
import { type LiveState, useLive } from '../api/use-live.ts'
import {
  DeliveriesAttemptRecordedDocument,
  DeliveryDeliveryFinishedDocument,
  type DeliveryQuery,
} from '../generated/graphql.ts'

const RELOAD_EVERY_MS = 500
/** Nothing is told of a line that moves on: a delivery that waits in one is looked at. */
const LOOK_EVERY_MS = 5_000

type Delivery = NonNullable<DeliveryQuery['delivery']>

/** Reads a delivery again when something happened to it. */
export function useLiveDelivery(
  delivery: Delivery | null | undefined,
  reload: () => void,
): LiveState {
  const due = useRef(false)
  const lookAt = useRef(0)
  const tick = useEffectEvent(() => {
    const now = Date.now()
    const unsettled =
      delivery?.state === 'PENDING' && !(Date.parse(delivery.nextAttemptAt ?? '') > now)
    if (unsettled && now > lookAt.current && !document.hidden) due.current = true
    if (!due.current) return
    due.current = false
    lookAt.current = now + LOOK_EVERY_MS
    reload()
  })
  useEffect(() => {
    const timer = setInterval(() => tick(), RELOAD_EVERY_MS)
    return () => clearInterval(timer)
  }, [])

  function heard(id: string | undefined) {
    if (id === delivery?.id) due.current = true
  }
  const onReconnect = () => {
    due.current = true
  }
  const variables = { webhookId: delivery?.webhookId ?? '' }
  // Of a webhook that was deleted there is nothing to hear.
  const paused = !delivery || delivery.webhook === null
  const state = useLive(DeliveriesAttemptRecordedDocument, variables, {
    paused,
    onData: ({ attemptRecorded }) => heard(attemptRecorded?.delivery?.id),
    onReconnect,
  })
  useLive(DeliveryDeliveryFinishedDocument, variables, {
    paused,
    onData: ({ deliveryFinished }) => heard(deliveryFinished?.id),
  })
  return state
}
