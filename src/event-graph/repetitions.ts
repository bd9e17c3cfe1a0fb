import type { Read, SelectionPlan, ValuePlan } from './plan.ts'

/** Bounds the size of what is made, and the time. */
export const MAX_REPETITIONS = 4

/** How often a plan takes the value that it takes most often. */
export function repetitionsOf({ cases, other }: SelectionPlan): number {
  return Math.max(1, ...[other, ...cases.map(({ plan }) => plan)].map(ofValue))
}

function ofValue(plan: ValuePlan): number {
  if (plan.kind === 'list') return ofValue(plan.of)
  return plan.kind === 'object' ? ofReads(plan.reads) : 1
}

/** What is read under one name is read again for each use. */
function ofReads(reads: readonly Read[]): number {
  const uses = Map.groupBy(reads, ({ name }) => name).values()
  const sums = [...uses].map((group) =>
    group
      .map((read) => ('value' in read ? ofValue(read.value) : ofReads(read.within)))
      .reduce((sum, one) => sum + one, 0),
  )
  return Math.max(1, ...sums)
}
