import { publicId } from '../db/ids.ts'
import { timestampOf } from '../lib/uuid-v7.ts'
import type { WorkBudget } from '../lib/work-budget.ts'
import type { SelectionPlan } from './plan.ts'
import { skipSpace } from './skip-json.ts'
import { caseOf, emptyValues, joinObject, prepare, takeMember, typenameOf } from './slice-json.ts'

export interface SelectedEvent {
  /** A uuid. */
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  /** JSON. */
  readonly data: string
  /** JSON. Null: not given. */
  readonly previous: string | null
  /** The place in the stream. */
  readonly cursor?: string
}

/**
 * What a selection takes from an event, as JSON: an object. Made of the plan as it was parsed once: what is prepared for a
 * plan is kept with the object. Throws `OverBudget`.
 */
export function selectEvent(
  selection: SelectionPlan,
  event: SelectedEvent,
  budget: WorkBudget,
): string {
  const plan = caseOf(selection, event.type)
  const values = emptyValues(plan, plan.typename ?? typenameOf(selection, event.type))
  const { reads } = prepare(plan)
  for (const [name, uses] of reads) {
    const text = memberText(event, name)
    takeMember({ text, at: skipSpace(text, 0), budget }, uses, values)
  }
  return joinObject(budget, prepare(plan), values)
}

function memberText(event: SelectedEvent, name: string): string {
  switch (name) {
    case 'data':
      return event.data
    case 'previous':
      return event.previous ?? 'null'
    default:
      return JSON.stringify(factsOf(event, name))
  }
}

function factsOf({ id, type, occurredAt, cursor }: SelectedEvent, name: string): unknown {
  switch (name) {
    case 'id':
      return publicId('event', id)
    case 'type':
      return type
    case 'cursor':
      return cursor
    case 'occurredAt':
      return occurredAt
    case 'publishedAt':
      return timestampOf(id)
    default:
      return null
  }
}
