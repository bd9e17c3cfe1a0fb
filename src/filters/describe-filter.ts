import { printExactJson } from '../lib/exact-json.ts'
import { excerpt } from '../lib/excerpt.ts'
import { printPath } from '../lib/json-path.ts'
import type { Filter, Leaf } from './filter.ts'

const MAX_VALUE_LENGTH = 60

/** What a filter states, as a clause: `$.total is greater than 100`. */
export function describeFilter(filter: Filter): string {
  if ('all' in filter) return filter.all.map(describeFilter).join(' and ')
  if ('any' in filter) return `(${filter.any.map(describeFilter).join(' or ')})`
  if ('not' in filter) return `not (${describeFilter(filter.not)})`
  return `${printPath(filter.path)} ${STATEMENTS[filter.op]}${operandOf(filter)}`
}

const STATEMENTS = {
  equals: 'is',
  in: 'is one of',
  exists: 'exists',
  less: 'is less than',
  lessOrEqual: 'is at most',
  greater: 'is greater than',
  greaterOrEqual: 'is at least',
  startsWith: 'begins with',
  contains: 'contains',
  has: 'has the item',
  changed: 'has changed',
} as const

function operandOf(leaf: Leaf): string {
  if (!('value' in leaf)) return ''
  const values = leaf.op === 'in' ? leaf.value : [leaf.value]
  return ` ${values.map((value) => excerpt(printExactJson(value), MAX_VALUE_LENGTH)).join(', ')}`
}
