import { compareExactNumbers, type ExactJson, isExactNumber } from '../lib/exact-json.ts'
import type { PathStep } from '../lib/json-path.ts'
import { spend, spendOnText, type WorkBudget } from '../lib/work-budget.ts'
import { compareExactTimes, parseExactTime } from './exact-time.ts'
import type { Comparison, Filter, Leaf, Scalar } from './filter.ts'
import type { ReadableEvent } from './readable-data.ts'

/**
 * Whether an event passes the filter. Publishing decides the same in Postgres, by the path of `compileFilter`. Throws
 * `OverBudget`.
 */
export function matchesFilter(filter: Filter, event: ReadableEvent, budget: WorkBudget): boolean {
  if ('all' in filter) return filter.all.every((part) => matchesFilter(part, event, budget))
  if ('any' in filter) return filter.any.some((part) => matchesFilter(part, event, budget))
  if ('not' in filter) return !matchesFilter(filter.not, event, budget)
  return matchesLeaf(filter, event, budget)
}

function matchesLeaf(leaf: Leaf, { data, previous }: ReadableEvent, budget: WorkBudget): boolean {
  const values = valuesAt(leaf.path, data, budget)
  if (leaf.op !== 'changed') return values.some((value) => meets(leaf, value, budget))
  if (previous === undefined) return false
  return !isSameJson(values, valuesAt(leaf.path, previous, budget), budget)
}

/** A path finds one value or none; with `[*]`, any number. Throws `OverBudget`. */
export function valuesAt(
  path: readonly PathStep[],
  data: ExactJson,
  budget: WorkBudget,
): ExactJson[] {
  let values = [data]
  for (const step of path) {
    spend(budget, values.length)
    values = values.flatMap((value) => follow(step, value, budget))
  }
  return values
}

function follow(step: PathStep, value: ExactJson, budget: WorkBudget): readonly ExactJson[] {
  if (Array.isArray(value)) {
    if ('eachItem' in step) {
      spend(budget, value.length)
      return value
    }
    return 'index' in step && step.index < value.length ? [value[step.index] as ExactJson] : []
  }
  if (!('name' in step) || !isObject(value) || !Object.hasOwn(value, step.name)) return []
  return [value[step.name] as ExactJson]
}

function isObject(value: ExactJson): value is { readonly [name: string]: ExactJson } {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
  )
}

/** Times are read from texts. */
const STEPS_OF_TIME = 10

function meets(
  leaf: Exclude<Leaf, { op: 'changed' }>,
  value: ExactJson,
  budget: WorkBudget,
): boolean {
  spendOnValue(value, budget)
  switch (leaf.op) {
    case 'exists':
      return true
    case 'equals':
      return isSame(value, leaf.value)
    case 'in':
      spend(budget, leaf.value.length)
      return leaf.value.some((one) => isSame(value, one))
    case 'has':
      if (!Array.isArray(value)) return false
      spend(budget, value.length)
      return value.some((item) => isSame(item, leaf.value))
    case 'startsWith':
      return typeof value === 'string' && value.startsWith(leaf.value)
    case 'contains':
      return typeof value === 'string' && value.includes(leaf.value)
    default:
      if (typeof value === 'string') spend(budget, STEPS_OF_TIME)
      return isOnSide(leaf.op, compare(value, leaf.value))
  }
}

function spendOnValue(value: ExactJson, budget: WorkBudget): void {
  spend(budget, 1)
  if (typeof value === 'string') spendOnText(budget, value.length)
  else if (isExactNumber(value)) spendOnText(budget, value.value.length)
}

/** Whether two values are equal as jsonb: numbers by their values, objects with their names in any order. */
function isSameJson(a: ExactJson, b: ExactJson, budget: WorkBudget): boolean {
  spendOnValue(a, budget)
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    return a.every((one, i) => isSameJson(one, b[i], budget))
  }
  if (!isObject(a)) return isSame(b, a as Scalar)
  if (!isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) =>
        Object.hasOwn(b, name) && isSameJson(a[name] as ExactJson, b[name] as ExactJson, budget),
    )
  )
}

/** Values of different types are never equal. */
function isSame(value: ExactJson, scalar: Scalar): boolean {
  if (isExactNumber(value)) return isExactNumber(scalar) && compareExactNumbers(value, scalar) === 0
  return value === scalar
}

/** Null if the value is neither a number beside a number, nor a time beside a time. */
function compare(value: ExactJson, bound: Scalar): number | null {
  if (isExactNumber(value)) return isExactNumber(bound) ? compareExactNumbers(value, bound) : null
  if (typeof value !== 'string' || typeof bound !== 'string') return null
  const [time, limit] = [parseExactTime(value), parseExactTime(bound)]
  return time && limit && compareExactTimes(time, limit)
}

function isOnSide(comparison: Comparison, order: number | null): boolean {
  if (order === null) return false
  switch (comparison) {
    case 'less':
      return order < 0
    case 'lessOrEqual':
      return order <= 0
    case 'greater':
      return order > 0
    case 'greaterOrEqual':
      return order >= 0
  }
}
