import { compareExactNumbers, type ExactJson, isExactNumber } from '../lib/exact-json.ts'
import type { PathStep } from '../lib/json-path.ts'
import { compareExactTimes, parseExactTime } from './exact-time.ts'
import type { Comparison, Filter, Leaf, Scalar } from './filter.ts'

/** Whether the data passes the filter. Publishing decides the same in Postgres, by the path of `compileFilter`. */
export function matchesFilter(filter: Filter, data: ExactJson): boolean {
  if ('all' in filter) return filter.all.every((part) => matchesFilter(part, data))
  if ('any' in filter) return filter.any.some((part) => matchesFilter(part, data))
  if ('not' in filter) return !matchesFilter(filter.not, data)
  return matchesLeaf(filter, data)
}

export function matchesLeaf(leaf: Leaf, data: ExactJson): boolean {
  return valuesAt(leaf.path, data).some((value) => meets(leaf, value))
}

/** A path finds one value or none; with `[*]`, any number. */
export function valuesAt(path: readonly PathStep[], data: ExactJson): ExactJson[] {
  let values = [data]
  for (const step of path) values = values.flatMap((value) => follow(step, value))
  return values
}

function follow(step: PathStep, value: ExactJson): readonly ExactJson[] {
  if (Array.isArray(value)) {
    if ('eachItem' in step) return value
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

function meets(leaf: Leaf, value: ExactJson): boolean {
  switch (leaf.op) {
    case 'exists':
      return true
    case 'equals':
      return isSame(value, leaf.value)
    case 'in':
      return leaf.value.some((one) => isSame(value, one))
    case 'has':
      return Array.isArray(value) && value.some((item) => isSame(item, leaf.value))
    case 'startsWith':
      return typeof value === 'string' && value.startsWith(leaf.value)
    case 'contains':
      return typeof value === 'string' && value.includes(leaf.value)
    default:
      return isOnSide(leaf.op, compare(value, leaf.value))
  }
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
