import { type ExactJson, isExactNumber, isExactObject } from '../../lib/exact-json.ts'
import type { PathStep } from '../../lib/json-path.ts'
import { parseRfc3339 } from '../../lib/rfc3339-time.ts'

/** What a webhook asks of an event before a delivery is created: of its data, and of the data before the change. */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | Leaf

/** One condition. It holds if a value that the path finds meets the operator. */
export interface Leaf {
  readonly path: readonly PathStep[]
  readonly op: Operator
  /** As the operator takes it. */
  readonly value?: Scalar | readonly Scalar[]
}

export type Scalar = Exclude<ExactJson, readonly ExactJson[] | { [name: string]: ExactJson }>

export function leavesOf(filter: Filter): readonly Leaf[] {
  if ('all' in filter) return filter.all.flatMap(leavesOf)
  if ('any' in filter) return filter.any.flatMap(leavesOf)
  if ('not' in filter) return leavesOf(filter.not)
  return [filter]
}

export function valuesOf({ value }: Pick<Leaf, 'value'>): readonly Scalar[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value as Scalar]
}

interface OperatorRule {
  /** What a condition says of its path, in English. */
  readonly says: string
  readonly takes: keyof typeof VALUES
  /** SQL/JSON: the beginning of a test of a value `@`, before a literal. */
  readonly test: string
  /** Looks at each item of an array, at a whole text, or at all data. Default: false. */
  readonly scans?: true
  /** What one value costs, as measured in Postgres: the first comparison of a value that a path finds is 1. Default: 1. */
  readonly steps?: number
}

export const OPERATORS = {
  equals: { says: 'is', takes: 'scalar', test: '@ ==' },
  in: { says: 'is one of', takes: 'list', test: '@ ==', steps: 2 },
  exists: { says: 'exists', takes: 'nothing', test: '' },
  less: { says: 'is less than', takes: 'bound', test: '@ <' },
  lessOrEqual: { says: 'is at most', takes: 'bound', test: '@ <=' },
  greater: { says: 'is greater than', takes: 'bound', test: '@ >' },
  greaterOrEqual: { says: 'is at least', takes: 'bound', test: '@ >=' },
  startsWith: { says: 'begins with', takes: 'text', test: '@ starts with' },
  // By a regular expression.
  contains: { says: 'contains', takes: 'text', test: '@ like_regex', scans: true, steps: 6 },
  has: { says: 'has the item', takes: 'scalar', test: '@ ==', scans: true },
  // Compares all that the path finds, twice.
  changed: { says: 'has changed', takes: 'nothing', test: '', scans: true, steps: 2 },
} as const satisfies Record<string, OperatorRule>

export type Operator = keyof typeof OPERATORS

export const ruleOf = (op: Operator): OperatorRule => OPERATORS[op]

export function isOperator(text: string): text is Operator {
  return Object.hasOwn(OPERATORS, text)
}

/** Whether a value is what an operator takes, and the rule. */
export const VALUES = {
  nothing: [
    (value) => value === undefined,
    'must be left out. For a missing field, use not. For the value after a change, add a condition with equals.',
  ],
  scalar: [
    isScalar,
    'must be a text, a number, a boolean or null. For the fields of an object, use one condition each.',
  ],
  list: [
    (value) => Array.isArray(value) && value.length > 0 && value.every(isScalar),
    'must be a list of one or more texts, numbers, booleans or null.',
  ],
  text: [
    (value) => typeof value === 'string' && value !== '',
    'must be a text of 1 or more characters.',
  ],
  bound: [
    (value) =>
      isExactNumber(value) || (typeof value === 'string' && parseExactTime(value) !== null),
    'must be a number, or an RFC 3339 time such as 2026-01-31T12:00:00Z.',
  ],
} as const satisfies Record<string, readonly [(value: ExactJson | undefined) => boolean, string]>

function isScalar(value: ExactJson | undefined): boolean {
  return value !== undefined && !Array.isArray(value) && !isExactObject(value)
}

/** An RFC 3339 time with all of its digits. */
export interface ExactTime {
  /** Since 1970 in UTC. */
  readonly seconds: number
  /** The digits of the fraction, without zeros at its end. */
  readonly fraction: string
}

/** Null for a text that is no time, such as February 30. `posthorn.parse_exact_time` has the same rule. */
export function parseExactTime(text: string): ExactTime | null {
  const time = parseRfc3339(text)
  if (time === null) return null
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? []
  return { seconds: Math.floor(time.getTime() / 1_000), fraction: fraction.replace(/0+$/, '') }
}
