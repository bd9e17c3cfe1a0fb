import { type ExactJson, printExactJson } from '../lib/exact-json.ts'
import { printPath } from '../lib/json-path.ts'
import type { Filter, Leaf } from './filter.ts'
import { matchesFilter, valuesAt } from './match-filter.ts'
import type { ReadableEvent } from './readable-data.ts'

const MAX_VALUE_LENGTH = 60

/** A sentence with the condition that an event did not meet. Null if it passes. */
export function explainRefusal(filter: Filter, event: ReadableEvent): string | null {
  if (matchesFilter(filter, event.data, event.previous)) return null
  if ('all' in filter) return firstOf(filter.all, event)
  if ('any' in filter)
    return filter.any.length === 1 ? firstOf(filter.any, event) : noneOf(filter.any)
  if ('not' in filter) return `${describeFilter(filter.not)}, which the filter excludes.`
  return `${printPath(filter.path)} must ${describeTest(filter)}, and ${describeFound(filter, event)}.`
}

function firstOf(parts: readonly Filter[], event: ReadableEvent): string | null {
  for (const part of parts) {
    const reason = explainRefusal(part, event)
    if (reason !== null) return reason
  }
  return null
}

function noneOf(parts: readonly Filter[]): string {
  return `None of these holds: ${parts.map(describeFilter).join('; ')}.`
}

/** What a filter states, as a clause: `$.total is greater than 100`. */
export function describeFilter(filter: Filter): string {
  if ('all' in filter) return filter.all.map(describeFilter).join(' and ')
  if ('any' in filter) return `(${filter.any.map(describeFilter).join(' or ')})`
  if ('not' in filter) return `not (${describeFilter(filter.not)})`
  return `${printPath(filter.path)} ${STATEMENTS[filter.op]}${operandOf(filter)}`
}

function describeTest(leaf: Leaf): string {
  return `${RULES[leaf.op]}${operandOf(leaf)}`
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

const RULES = {
  equals: 'be',
  in: 'be one of',
  exists: 'exist',
  less: 'be less than',
  lessOrEqual: 'be at most',
  greater: 'be greater than',
  greaterOrEqual: 'be at least',
  startsWith: 'begin with',
  contains: 'contain',
  has: 'have the item',
  changed: 'change',
} as const

function operandOf(leaf: Leaf): string {
  if (!('value' in leaf)) return ''
  const values = leaf.op === 'in' ? leaf.value : [leaf.value]
  return ` ${values.map((value) => excerptOf(value)).join(', ')}`
}

function describeFound({ path, op }: Leaf, { data, previous }: ReadableEvent): string {
  if (op === 'changed') {
    return previous === undefined
      ? 'the event has no previous data, without which nothing has changed'
      : 'is the same as before'
  }
  const [first, ...others] = valuesAt(path, data)
  if (first === undefined) return 'is missing'
  return others.length === 0
    ? `is ${excerptOf(first)}`
    : `none of its ${others.length + 1} values does`
}

function excerptOf(value: ExactJson): string {
  const text = printExactJson(value)
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text
}
