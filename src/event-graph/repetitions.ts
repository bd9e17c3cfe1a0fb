import type { ObjectPlan, Read, ValuePlan } from './plan.ts'

/** Bounds the size of what is made, and the time. */
export const MAX_REPETITIONS = 4

/** How often a plan takes the value that it takes most often. */
export function repetitionsOf(plan: ValuePlan): number {
  switch (plan.kind) {
    case 'object':
      return ofReads(plan.reads)
    case 'list':
      return repetitionsOf(plan.of)
    case 'choice':
      return Math.max(1, ...objectsOf(plan).map(repetitionsOf))
    default:
      return 1
  }
}

function objectsOf(plan: Extract<ValuePlan, { kind: 'choice' }>): ObjectPlan[] {
  return [...plan.cases.map((one) => one.plan), ...(plan.other ? [plan.other] : [])]
}

/** What is read under one name is read again for each use. */
function ofReads(reads: readonly Read[]): number {
  const uses = Map.groupBy(reads, ({ name }) => name).values()
  const sums = [...uses].map((group) =>
    group
      .map((read) => ('value' in read ? repetitionsOf(read.value) : ofReads(read.within)))
      .reduce((sum, one) => sum + one, 0),
  )
  return Math.max(1, ...sums)
}
