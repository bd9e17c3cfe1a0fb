import { type Condition, type ConditionGroup, conditionsOf, isGroup } from './conditions.ts'
import { hasValue } from './operators.ts'

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** What is missing before a condition can be tried. Null: nothing. */
export function missingIn({ path, op, kind, values }: Condition): 'path' | 'value' | null {
  if (path.trim() === '') return 'path'
  if (!hasValue(op) || kind === 'null') return null
  const isGiven = (text: string) => (kind === 'number' ? NUMBER.test(text.trim()) : text !== '')
  return values.length > 0 && values.every(isGiven) ? null : 'value'
}

/**
 * The text of a filter's JSON. Text stays text until here, so that a number keeps its digits. While a path or a value is
 * missing, the text is no JSON: a form does not save, and nothing is tried.
 */
export function printConditions(group: ConditionGroup): string {
  if (group.parts.length === 0) return ''
  const [only] = group.parts
  if (group.parts.length === 1 && only && !isGroup(only)) return printCondition(only)
  const parts = group.parts.map((part) => (isGroup(part) ? printGroup(part) : printCondition(part)))
  return `{"${group.mode}":[${parts.join(',')}]}`
}

function printGroup({ mode, parts }: ConditionGroup): string {
  return `{"${mode}":[${parts.map((part) => printCondition(part as Condition)).join(',')}]}`
}

function printCondition(condition: Condition): string {
  const { isNegated, path, op } = condition
  const missing = missingIn(condition)
  const value = hasValue(op) ? `,"value":${missing === 'value' ? '' : printValue(condition)}` : ''
  const pathText = missing === 'path' ? '' : JSON.stringify(path.trim())
  const leaf = `{"path":${pathText},"op":"${op}"${value}}`
  return isNegated ? `{"not":${leaf}}` : leaf
}

function printValue({ op, kind, values }: Condition): string {
  const printed = values.map((text) => {
    if (kind === 'null') return 'null'
    if (kind === 'number') return text.trim()
    return kind === 'boolean' ? text : JSON.stringify(text)
  })
  return op === 'in' ? `[${printed.join(',')}]` : (printed[0] ?? '')
}

/** Where the conditions stand in the JSON, in their order: `all.0`, `all.1.not`. */
export function placesOf(group: ConditionGroup): string[] {
  const not = ({ isNegated }: Condition) => (isNegated ? ['not'] : [])
  const [only] = group.parts
  if (group.parts.length === 1 && only && !isGroup(only)) return [not(only).join('.')]
  return group.parts.flatMap((part, index) => {
    const at = [group.mode, index]
    if (!isGroup(part)) return [[...at, ...not(part)].join('.')]
    return conditionsOf(part).map((one, i) => [...at, part.mode, i, ...not(one)].join('.'))
  })
}
