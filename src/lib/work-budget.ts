/*
 * Organizations choose how much work their events are: the conditions of a filter, the loops of a template or the fields
 * of a selection, times the items of the data. So the work on one event has a budget of steps, which are counted while
 * working, and never timed: an event is decided in the same way on every machine.
 */

/**
 * The steps that one filter, template or selection may take for one event. A step looks at one value, or at 64 characters
 * of text. `posthorn.apply_filters` has the same number for all filters of an organization together.
 */
export const MAX_STEPS = 200_000

const CHARACTERS_OF_STEP = 64

export interface WorkBudget {
  /** Steps that may still be taken. */
  left: number
}

/** The work on an event takes more steps than its budget has. */
export class OverBudget extends Error {
  override readonly name = 'OverBudget'

  constructor() {
    super(
      `The work on this event takes more than ${MAX_STEPS.toLocaleString('en')} steps. Use fewer conditions or fields for the items of long lists.`,
    )
  }
}

export function newBudget(): WorkBudget {
  return { left: MAX_STEPS }
}

/** Throws `OverBudget`. */
export function spend(budget: WorkBudget, steps: number): void {
  budget.left -= steps
  if (budget.left < 0) throw new OverBudget()
}

/** For text that is read or written. Throws `OverBudget`. */
export function spendOnText(budget: WorkBudget, characters: number): void {
  spend(budget, characters / CHARACTERS_OF_STEP)
}
