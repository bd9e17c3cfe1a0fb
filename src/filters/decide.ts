import { inTurn } from '../lib/in-turn.ts'
import { OverBudget, type WorkBudget } from '../lib/work-budget.ts'
import { explainRefusal } from './explain-refusal.ts'
import type { Filter } from './filter.ts'
import { matchesFilter } from './match-filter.ts'
import { type ReadableEvent, readableEvent } from './readable-data.ts'

/** The texts of an event. */
interface EventTexts {
  readonly data: string
  readonly previous: string | null
}

/** What a filter says about an event. Undecided events are delivered. */
export type Decision = 'passes' | 'undecided' | { readonly refusedBy: string }

/** Decides about an event, and says why the filter refuses it. */
export async function decide(
  organizationId: string,
  filter: Filter,
  event: EventTexts,
): Promise<Decision> {
  return await inTurn(organizationId, (budget) =>
    unlessUndecided(event, budget, (readable) => {
      const refusedBy = explainRefusal(filter, readable, budget)
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
    unlessUndecided(event, budget, (readable) => matchesFilter(filter, readable, budget)),
  )
  return decision !== false
}

/** Events are undecided that Postgres cannot read, or that take more work than the budget. */
function unlessUndecided<Result>(
  { data, previous }: EventTexts,
  budget: WorkBudget,
  decideOn: (readable: ReadableEvent) => Result,
): Result | 'undecided' {
  try {
    const readable = readableEvent(data, previous, budget)
    return readable === null ? 'undecided' : decideOn(readable)
  } catch (error) {
    if (error instanceof OverBudget) return 'undecided'
    throw error
  }
}
