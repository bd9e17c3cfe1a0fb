import { t } from '../../language/t.ts'

/** The type of a value of a condition, in the builder. A time is a text that is compared as a time. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'null' | 'time'

const ANY = ['text', 'number', 'boolean', 'null'] as const
const ORDERED = ['number', 'time'] as const
const TEXT = ['text'] as const

/** The operators of a condition, with the kinds of their values. */
export const VALUE_KINDS = {
  equals: ANY,
  in: ['text', 'number'],
  exists: [],
  less: ORDERED,
  lessOrEqual: ORDERED,
  greater: ORDERED,
  greaterOrEqual: ORDERED,
  startsWith: TEXT,
  contains: TEXT,
  has: ANY,
  changed: [],
} as const satisfies Record<string, readonly ValueKind[]>

export type Operator = keyof typeof VALUE_KINDS

export const isOperator = (name: unknown): name is Operator =>
  typeof name === 'string' && Object.hasOwn(VALUE_KINDS, name)

export const allows = (op: Operator, kind: ValueKind) =>
  (VALUE_KINDS[op] as readonly ValueKind[]).includes(kind)

export const hasValue = (op: Operator) => VALUE_KINDS[op].length > 0

export const OPERATOR_LABELS: Readonly<Record<Operator, string>> = {
  equals: 'is',
  in: 'is one of',
  greater: 'is greater than',
  greaterOrEqual: 'is at least',
  less: 'is less than',
  lessOrEqual: 'is at most',
  startsWith: 'begins with',
  contains: 'contains',
  has: 'has the item',
  exists: 'exists',
  changed: 'has changed',
}

export const KIND_LABELS: Readonly<Record<ValueKind, string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'True or false',
  null: 'null',
  time: t('Time'),
}
