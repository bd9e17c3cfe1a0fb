import { inTurn } from '../lib/in-turn.ts'
import { spend, type WorkBudget } from '../lib/work-budget.ts'
import { explainRefusal } from './explain-refusal.ts'
import type { Filter } from './filter.ts'
import { type EventTexts, stepsFor } from './filter-cost.ts'
import { matchesFilter } from './match-filter.ts'
import { type ReadableEvent, readableEvent } from './readable-data.ts'

/** What a filter says about an event. Undecided events are delivered. */
export type Decision = 'passes' | 'undecided' | { readonly refusedBy: string }

/** Decides about an event, and says why the filter refuses it. */
export async function decide(
  organizationId: string,
  filter: Filter,
  event: EventTexts,
): Promise<Decision> {
  return await inTurn(organizationId, (budget) =>
    decideWithin(budget, filter, event, (readable) => {
      const refusedBy = explainRefusal(filter, readable)
      return refusedBy === null ? 'passes' : { refusedBy }
    }),
  )
}

/** Whether a filter lets an event through: it passes, or is undecided. */
export async function isLetThrough(
  organizationId: string,
  filter: Filter,
  event: EventTexts,
): Promise<boolean> {
  const decision = await inTurn(organizationId, (budget) =>
    decideWithin(budget, filter, event, ({ data, previous }) =>
      matchesFilter(filter, data, previous),
    ),
  )
  return decision !== false
}

/** Events are undecided that Postgres cannot read, or that take more steps than the budget has. */
export function decideWithin<Result>(
  budget: WorkBudget,
  filter: Filter,
  event: EventTexts,
  decideOn: (readable: ReadableEvent) => Result,
): Result | 'undecided' {
  const steps = stepsFor(filter, event)
  if (steps > budget.left) return 'undecided'
  spend(budget, steps)
  const readable = readableEvent(event.data, event.previous)
  return readable === null ? 'undecided' : decideOn(readable)
}
