import { setImmediate } from 'node:timers/promises'
import { newBudget, type WorkBudget } from './work-budget.ts'

/** The steps after which an organization leaves the thread to others, until the next round of the event loop. */
const STEPS_OF_TURN = 20_000

interface Turn {
  steps: number
  /** The next round of the event loop. */
  readonly end: Promise<void>
}

const turns = new Map<string, Turn>()

/**
 * Works on one event of an organization, with a budget of its own, or one that it shares. In each round of the event loop, an organization has
 * one turn in a thread, so that its events, however many, delay others by the work on one event at most.
 */
export async function inTurn<Result>(
  organizationId: string,
  work: (budget: WorkBudget) => Result,
  budget = newBudget(),
): Promise<Result> {
  let turn = turns.get(organizationId) ?? beginTurn(organizationId)
  while (turn.steps > STEPS_OF_TURN) {
    await turn.end
    turn = turns.get(organizationId) ?? beginTurn(organizationId)
  }
  const { left } = budget
  try {
    return work(budget)
  } finally {
    turn.steps += left - budget.left
  }
}

function beginTurn(organizationId: string): Turn {
  const end = setImmediate().then(() => {
    turns.delete(organizationId)
  })
  const turn = { steps: 0, end }
  turns.set(organizationId, turn)
  return turn
}
