import { publicId } from '../db/ids.ts'
import { MAX_DATA_BYTES } from '../event-types/event-type.ts'
import { type DeliveredEvent, deliveryBody } from '../events/delivery-body.ts'
import { OverBudget, type WorkBudget } from '../lib/work-budget.ts'
import type { SelectionPlan } from './event-graph/plan-selection.ts'
import { selectEvent } from './event-graph/select-event.ts'
import type { Body } from './find-body.ts'
import type { Template } from './templates/compile-template.ts'
import { renderTemplate } from './templates/render-template.ts'

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

/** A selection makes more data of the event than an event can have, or a body takes more work than its budget. */
export const TOO_LARGE = Symbol('too large')

/**
 * The signed body of an attempt. The body depends only on these columns, and a body version never changes, so every
 * attempt of a delivery sends the same bytes. `body` null: the whole event.
 */
export function writeBody(
  body: Body | null,
  event: BodyEvent,
  delivery: DeliveryOfBody,
  budget: WorkBudget,
): string | typeof TOO_LARGE {
  if (body === null) return deliveryBody(event)
  try {
    return 'plan' in body
      ? writeSelection(body.plan, event, budget)
      : writeTemplate(body.template, event, delivery, budget)
  } catch (error) {
    if (error instanceof OverBudget) return TOO_LARGE
    throw error
  }
}

/** Many fields of each item of a long list can be longer than the list, because each that is missing is `null`. */
function writeSelection(plan: SelectionPlan, event: BodyEvent, budget: WorkBudget) {
  const data = JSON.stringify(selectEvent(plan, event, budget))
  return Buffer.byteLength(data) > MAX_DATA_BYTES ? TOO_LARGE : deliveryBody({ ...event, data })
}

function writeTemplate(
  template: Template,
  event: BodyEvent,
  delivery: DeliveryOfBody,
  budget: WorkBudget,
): string {
  const deliveryId = publicId('delivery', delivery.id)
  const source = {
    event,
    deliveryId,
    webhookId: publicId('webhook', delivery.webhookId),
    deliveryUrl: delivery.publicUrl && `${delivery.publicUrl}/console/deliveries/${deliveryId}`,
  }
  return renderTemplate(template, source, budget)
}
