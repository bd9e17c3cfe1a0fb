import { publicId } from '../ids.ts'
import type { TaskPayloads } from '../queue/enqueue.ts'
import type { TakenDelivery } from '../queue/hand-over.ts'
import type { LoadedDelivery } from './load-delivery.ts'

type Payload = TaskPayloads['deliver']

interface AtHand {
  readonly delivery: LoadedDelivery
  /** Of `performance.now()`. */
  readonly asOf: number
}

/** How long what is at hand counts as what there is. */
const FRESH_MS = 20

/** Not a part of the payload, which is logged when a job fails. */
const atHand = new WeakMap<Payload, AtHand>()

/** The payload of a delivery's job, with the delivery as it was stored. */
export function payloadWith(taken: TakenDelivery, asOf: number): Payload {
  const payload = { deliveryId: publicId('delivery', taken.id) }
  atHand.set(payload, { delivery: toLoaded(taken), asOf })
  return payload
}

/** The delivery that came with a payload, where that was a moment ago. */
export function deliveryAtHand(payload: Payload): LoadedDelivery | null {
  const found = atHand.get(payload)
  return found && performance.now() - found.asOf < FRESH_MS ? found.delivery : null
}

/** Only those are taken that need not wait: of webhooks that are enabled, not held back, and take them in any order. */
function toLoaded(taken: TakenDelivery): LoadedDelivery {
  const { id, organizationId, webhookId, revision, body, traceParent } = taken
  return {
    id,
    state: 'pending',
    schedulePosition: 0,
    body,
    traceParent,
    organizationId,
    webhookId,
    webhook: 'enabled',
    revision,
    isTest: false,
    held: false,
    isProbe: false,
    hasTurn: false,
    slotInMs: null,
  }
}
