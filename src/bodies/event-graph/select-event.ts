import { publicId } from '../../db/ids.ts'
import { isExactObject, isKeptNumber, parseKeepingDigits } from '../../lib/exact-json.ts'
import { timestampOf } from '../../lib/uuid-v7.ts'
import { OverBudget, spend, spendOnText, type WorkBudget } from '../../lib/work-budget.ts'
import { typeNameAlone } from './names.ts'
import type { ObjectPlan, SelectionPlan, ValuePlan } from './plan-selection.ts'

/** The columns of an event that bodies are made of. */
export interface BodyEvent {
  /** A uuid. */
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  /** The exact JSON text that was published. */
  readonly data: string
  /** The data before the change, as published. Null: not given. */
  readonly previous: string | null
}

/**
 * What a selection takes from an event: an object, which `JSON.stringify` prints with the digits that were published.
 * Throws `OverBudget`.
 */
export function selectEvent(
  { cases, other }: SelectionPlan,
  event: BodyEvent & { readonly cursor?: string },
  budget: WorkBudget,
): object {
  const plan = cases.find(({ eventType }) => eventType === event.type)?.plan ?? other
  const parse = (text: string | null): unknown => {
    spendOnText(budget, text?.length ?? 0)
    return parseKeepingDigits(text ?? 'null')
  }
  const source: Record<string, unknown> = {
    ...event,
    __typename: typeNameAlone(event.type),
    id: publicId('event', event.id),
    publishedAt: timestampOf(event.id).toISOString(),
    occurredAt: event.occurredAt.toISOString(),
  }
  const members = new Set(plan.fields.map(({ path }) => path[0]))
  try {
    for (const name of ['data', 'previous'] as const) {
      if (members.has(name)) source[name] = parse(event[name])
    }
    return takeObject(plan, source, budget)
  } catch (error) {
    // A value of thousands of levels, which JSON can have.
    throw error instanceof RangeError ? new OverBudget() : error
  }
}

function takeObject({ fields }: ObjectPlan, source: object, budget: WorkBudget): object {
  spend(budget, fields.length)
  return Object.fromEntries(
    fields.map(({ key, path, value }) => [
      key,
      take(value, path.reduce<unknown>(memberOf, source), budget),
    ]),
  )
}

function memberOf(value: unknown, name: string): unknown {
  return isExactObject(value) && Object.hasOwn(value, name) ? value[name] : null
}

/** Missing values, and values of another shape than the plan needs, are null. */
function take(plan: ValuePlan, value: unknown, budget: WorkBudget): unknown {
  switch (plan.kind) {
    case 'object':
      return isExactObject(value) ? takeObject(plan, value, budget) : null
    case 'list':
      if (!Array.isArray(value)) return null
      spend(budget, value.length)
      return value.map((item) => take(plan.of, item, budget))
    case 'constant':
      return plan.value
    case 'json':
      spendOnText(budget, JSON.stringify(value).length)
      return value
    default:
      return typeof value === plan.kind || (plan.kind === 'number' && isKeptNumber(value))
        ? value
        : null
  }
}
