import { setImmediate } from 'node:timers/promises'
import { newBudget, type WorkBudget } from './work-budget.ts'

/** The steps after which an organization leaves the thread to others, until the next round of the event loop. */
const STEPS_OF_TURN = 20_000

/** The steps of each organization in this round. */
const steps = new Map<string, number>()

let nextRound: Promise<void> | null = null

/**
 * Works on one event of an organization, with a budget of its own, or one that it shares. In each round of the event loop, an organization has
 * one turn in a thread, so that its events, however many, delay others by the work on one event at most.
 */
export async function inTurn<Result>(
  organizationId: string,
  work: (budget: WorkBudget) => Result,
  budget = newBudget(),
): Promise<Result> {
  const used = () => steps.get(organizationId) ?? 0
  while (used() > STEPS_OF_TURN) await nextRound
  nextRound ??= setImmediate().then(() => {
    steps.clear()
    nextRound = null
  })
  const { left } = budget
  try {
    return work(budget)
  } finally {
    steps.set(organizationId, used() + left - budget.left)
  }
}
