import { publicId } from '../db/ids.ts'
import type { SelectionPlan } from '../event-graph/plan.ts'
import { selectEvent } from '../event-graph/select-event.ts'
import { SelectionTooLarge } from '../event-graph/slice-json.ts'
import { MAX_DATA_BYTES } from '../event-types/event-type.ts'
import { type DeliveredEvent, deliveryBody } from '../events/delivery-body.ts'
import { renderTemplate } from '../templates/render-template.ts'
import type { Body } from './body.ts'

/** The columns of an event that bodies are made of. */
export interface BodyEvent extends DeliveredEvent {
  /** The data before the change, as published. */
  readonly previous: string | null
}

interface DeliveryOfBody {
  /** Uuids. */
  readonly id: string
  readonly webhookId: string
  /** The origin of the console. Null if an operator has not set it. */
  readonly publicUrl: string | null
}

/** A selection makes more data of the event than an event can have. */
export const TOO_LARGE = Symbol('too large')

/**
 * The signed body of an attempt. The body depends only on these columns, and a body version never changes, so every
 * attempt of a delivery sends the same bytes. `body` null: the whole event.
 */
export function writeBody(
  body: Body | null,
  event: BodyEvent,
  delivery: DeliveryOfBody,
): string | typeof TOO_LARGE {
  if (body === null) return deliveryBody(event)
  if ('plan' in body) {
    const data = selectData(body.plan, event)
    return data === TOO_LARGE ? TOO_LARGE : deliveryBody({ ...event, data })
  }
  const deliveryId = publicId('delivery', delivery.id)
  return renderTemplate(body.template, {
    event,
    deliveryId,
    webhookId: publicId('webhook', delivery.webhookId),
    deliveryUrl: delivery.publicUrl && `${delivery.publicUrl}/console/deliveries/${deliveryId}`,
  })
}

/** Many fields of each item of a long list can be longer than the list, because each that is missing is `null`. */
function selectData(plan: SelectionPlan, event: BodyEvent): string | typeof TOO_LARGE {
  try {
    const data = selectEvent(plan, event)
    return Buffer.byteLength(data) > MAX_DATA_BYTES ? TOO_LARGE : data
  } catch (error) {
    if (error instanceof SelectionTooLarge) return TOO_LARGE
    throw error
  }
}
