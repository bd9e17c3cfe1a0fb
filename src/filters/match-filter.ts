import { compareExactNumbers, type ExactJson, isExactNumber } from '../lib/exact-json.ts'
import type { PathStep } from '../lib/json-path.ts'
import { compareExactTimes, parseExactTime } from './exact-time.ts'
import type { Comparison, Filter, Leaf, Scalar } from './filter.ts'

/**
 * Whether an event passes the filter. `previous` is undefined if the event has no data before a change: then nothing has
 * changed. Publishing decides the same in Postgres, by the path of `compileFilter`.
 */
export function matchesFilter(filter: Filter, data: ExactJson, previous?: ExactJson): boolean {
  if ('all' in filter) return filter.all.every((part) => matchesFilter(part, data, previous))
  if ('any' in filter) return filter.any.some((part) => matchesFilter(part, data, previous))
  if ('not' in filter) return !matchesFilter(filter.not, data, previous)
  return matchesLeaf(filter, data, previous)
}

export function matchesLeaf(leaf: Leaf, data: ExactJson, previous?: ExactJson): boolean {
  const values = valuesAt(leaf.path, data)
  if (leaf.op !== 'changed') return values.some((value) => meets(leaf, value))
  return previous !== undefined && !isSameJson(values, valuesAt(leaf.path, previous))
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

function meets(leaf: Exclude<Leaf, { op: 'changed' }>, value: ExactJson): boolean {
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

/** Whether two values are equal as jsonb: numbers by their values, objects with their names in any order. */
function isSameJson(a: ExactJson, b: ExactJson): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((one, i) => isSameJson(one, b[i]))
  }
  if (!isObject(a)) return isSame(b, a as Scalar)
  if (!isObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) => Object.hasOwn(b, name) && isSameJson(a[name] as ExactJson, b[name] as ExactJson),
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
