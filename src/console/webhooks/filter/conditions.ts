import { randomId } from '@mantine/hooks'
import { isLosslessNumber } from 'lossless-json'
import { type FilterJson, isScalar, type LeafJson, parseFilter } from './filter-json.ts'
import { allows, hasValue, type Operator, type ValueKind } from './operators.ts'

/** One condition of the builder. Its values are texts as typed. */
export interface Condition {
  readonly key: string
  readonly isNegated: boolean
  readonly path: string
  readonly op: Operator
  readonly kind: ValueKind
  /** One value; for "is one of", all of them; for an operator without values, none that counts. */
  readonly values: readonly string[]
}

/** Conditions of which all or any must hold. Only the outermost group has groups. */
export interface ConditionGroup {
  readonly key: string
  readonly mode: 'all' | 'any'
  readonly parts: readonly (Condition | ConditionGroup)[]
}

export const MAX_CONDITIONS = 20

export const isGroup = (part: Condition | ConditionGroup): part is ConditionGroup => 'parts' in part

export function newCondition(): Condition {
  return { key: randomId(), isNegated: false, path: '', op: 'equals', kind: 'text', values: [''] }
}

export function newGroup(parts: ConditionGroup['parts'] = [newCondition()]): ConditionGroup {
  return { key: randomId(), mode: 'all', parts }
}

export function conditionsOf({ parts }: ConditionGroup): Condition[] {
  return parts.flatMap((part) => (isGroup(part) ? conditionsOf(part) : [part]))
}

/** The conditions of a filter's text. Null if the builder cannot show them. */
export function readConditions(text: string): ConditionGroup | null {
  const filter = parseFilter(text)
  if (filter === null) return null
  const single = readCondition(filter)
  return single ? newGroup([single]) : readGroup(filter, true)
}

function readGroup(filter: FilterJson, isOutermost: boolean): ConditionGroup | null {
  const mode = 'all' in filter ? 'all' : 'any' in filter ? 'any' : null
  if (mode === null) return null
  const inside = (filter as Record<string, readonly FilterJson[]>)[mode] ?? []
  const parts = inside.map((one) => readCondition(one) ?? (isOutermost && readGroup(one, false)))
  const shown = parts.filter((part) => part !== null && part !== false)
  return shown.length === parts.length ? { ...newGroup(shown), mode } : null
}

function readCondition(filter: FilterJson): Condition | null {
  if ('not' in filter) {
    const condition = 'path' in filter.not ? readCondition(filter.not) : null
    return condition && { ...condition, isNegated: true }
  }
  return 'path' in filter ? readLeaf(filter) : null
}

function readLeaf({ path, op, value }: LeafJson): Condition | null {
  const condition = { ...newCondition(), path, op }
  if (!hasValue(op)) return value === undefined ? condition : null
  const values = op === 'in' && Array.isArray(value) ? value : [value]
  const kinds = new Set(values.map((one) => kindOf(op, one)))
  const [kind] = kinds
  if (kinds.size !== 1 || !kind || !allows(op, kind)) return null
  // In the builder, an empty field is a missing value.
  if (values.includes('')) return null
  return { ...condition, kind, values: values.map(textOf) }
}

function kindOf(op: Operator, value: unknown): ValueKind | null {
  if (!isScalar(value)) return null
  if (value === null) return 'null'
  if (isLosslessNumber(value)) return 'number'
  if (typeof value === 'boolean') return 'boolean'
  return allows(op, 'time') ? 'time' : 'text'
}

const textOf = (value: unknown) => (isLosslessNumber(value) ? value.value : String(value))
