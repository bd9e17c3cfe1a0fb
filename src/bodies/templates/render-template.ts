import { LiquidError } from 'liquidjs'
import { publicId } from '../../db/ids.ts'
import { type ExactJson, isExactNumber, parseExactJson } from '../../lib/exact-json.ts'
import { OverBudget, spend, type WorkBudget } from '../../lib/work-budget.ts'
import type { BodyEvent } from '../event-graph/select-event.ts'
import type { Template } from './compile-template.ts'

export const MAX_RENDERED_BYTES = 256 * 1024

/** What bodies are made of beside the event. */
export interface DeliveryOfBody {
  /** Uuids. */
  readonly id: string
  readonly webhookId: string
  /** The origin of the console. Null if an operator has not set it. */
  readonly publicUrl: string | null
}

/** Reading JSON takes a step for so many characters. */
const CHARACTERS_OF_STEP = 8

/**
 * The body that a template gives for an event: JSON of at most 256 KiB. Throws `OverBudget` for more, for too much work, and
 * for what Liquid cannot do with the data.
 */
export function renderTemplate(
  template: Template,
  event: BodyEvent,
  delivery: DeliveryOfBody,
  budget: WorkBudget,
): string {
  let body = ''
  try {
    const scope = scopeOf(event, delivery, budget)
    for (const part of template) {
      body += typeof part === 'string' ? part : part(scope, budget)
    }
  } catch (error) {
    // A `RangeError`: the data nest too deep for the stack.
    if (error instanceof LiquidError || error instanceof RangeError) throw new OverBudget()
    throw error
  }
  if (Buffer.byteLength(body) > MAX_RENDERED_BYTES) throw new OverBudget()
  return body
}

/** The variables of Liquid. */
function scopeOf(
  { id, type, occurredAt, data, previous }: BodyEvent,
  delivery: DeliveryOfBody,
  budget: WorkBudget,
): object {
  const deliveryId = publicId('delivery', delivery.id)
  const url = delivery.publicUrl && `${delivery.publicUrl}/console/deliveries/${deliveryId}`
  return {
    event: { id: publicId('event', id), type, occurredAt: occurredAt.toISOString() },
    webhook: { id: publicId('webhook', delivery.webhookId) },
    delivery: { id: deliveryId, url },
    data: readData(data, budget),
    previous: readData(previous ?? 'null', budget),
  }
}

function readData(text: string, budget: WorkBudget): ExactJson {
  spend(budget, text.length / CHARACTERS_OF_STEP)
  return withEmptyTexts(parseExactJson(text))
}

/** Lets JavaScript take a list for an empty text where it needs a text or a number: joining the items can take long. */
function withEmptyTexts(value: ExactJson): ExactJson {
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return value
  for (const item of Object.values(value)) withEmptyTexts(item)
  return Array.isArray(value) ? Object.assign(value, { [Symbol.toPrimitive]: () => '' }) : value
}
