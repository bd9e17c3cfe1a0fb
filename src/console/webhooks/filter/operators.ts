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
  equals: t('is'),
  in: t('is one of'),
  greater: t('is greater than'),
  greaterOrEqual: t('is at least'),
  less: t('is less than'),
  lessOrEqual: t('is at most'),
  startsWith: t('begins with'),
  contains: t('contains'),
  has: t('has the item'),
  exists: t('exists'),
  changed: t('has changed'),
}

export const KIND_LABELS: Readonly<Record<ValueKind, string>> = {
  text: t('Text'),
  number: t('Number'),
  boolean: t('True or false'),
  null: 'null',
  time: t('Time'),
}
