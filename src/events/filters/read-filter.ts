import { didYouMean } from '../../lib/did-you-mean.ts'
import { type FieldIssue, fieldIssue, invalid } from '../../lib/errors.ts'
import {
  type ExactJson,
  isExactNumber,
  parseExactJson,
  printExactJson,
} from '../../lib/exact-json.ts'
import type { IssueCode } from '../../lib/issue-codes.ts'
import { parsePath, printPath } from '../../lib/json-path.ts'
import { parseExactTime } from './exact-time.ts'
import {
  COMPARISONS,
  type Comparison,
  type Filter,
  type Leaf,
  MAX_LEAVES,
  MAX_LEVELS,
  MAX_VALUE_BYTES,
  OPERATORS,
  type Operator,
  type Scalar,
} from './filter.ts'

/** No filter with values of the allowed size is longer. */
const MAX_CHARACTERS = 4 * MAX_LEAVES * MAX_VALUE_BYTES

/** Reads a filter from the text of its JSON. `at` is the path of the filter in the input. */
export function readFilter(
  text: string,
  at: FieldIssue['path'],
): { filter: Filter | null; issues: FieldIssue[] } {
  if (text.length > MAX_CHARACTERS) {
    const rule = `must have at most ${MAX_CHARACTERS.toLocaleString('en')} characters.`
    return { filter: null, issues: [fieldIssue(at, 'too_long', rule)] }
  }
  try {
    return checkFilter(parseExactJson(text), at)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const rule = `must be JSON, such as {"path":"$.total","op":"greater","value":100}: ${error.message}.`
    return { filter: null, issues: [fieldIssue(at, 'malformed', rule)] }
  }
}

/** A filter that was stored. */
export function parseStoredFilter(text: string): Filter {
  const { filter, issues } = readFilter(text, ['filter'])
  if (filter) return filter
  throw new Error(`A stored filter cannot be read: ${issues.map(({ detail }) => detail).join(' ')}`)
}

/** The text of a filter's JSON, in its normal form. */
export function printFilter(filter: Filter): string {
  return printExactJson(toJson(filter))
}

function toJson(filter: Filter): ExactJson {
  if ('all' in filter) return { all: filter.all.map(toJson) }
  if ('any' in filter) return { any: filter.any.map(toJson) }
  if ('not' in filter) return { not: toJson(filter.not) }
  return { ...filter, path: printPath(filter.path) }
}

type Path = FieldIssue['path']

/** Reads a filter from JSON. `at` is the path of the filter in the input. Returns null with any issue. */
function checkFilter(input: ExactJson, at: Path): { filter: Filter | null; issues: FieldIssue[] } {
  const issues: FieldIssue[] = []
  let leaves = 0

  const report = (path: Path, code: IssueCode, rule: string): null => {
    issues.push(fieldIssue(path, code, rule))
    return null
  }

  function readFilter(value: ExactJson, path: Path, level: number): Filter | null {
    if (level > MAX_LEVELS) {
      return report(path, 'too_big', `is nested more than ${MAX_LEVELS} levels deep. Nest it less.`)
    }
    if (!isObject(value)) {
      return report(path, 'invalid_type', `must be an object with all, any, not, or path and op.`)
    }
    const [form, ...others] = ['all', 'any', 'not', 'path'].filter((key) => key in value)
    if (form === undefined) {
      return report(path, 'required', 'needs one of all, any, not, or path with op.')
    }
    if (others.length > 0) {
      return report(path, 'ambiguous', `has ${form} and ${others.join(' and ')}. Use one of them.`)
    }
    if (form === 'path') return readLeaf(value, path)
    const unknown = Object.keys(value).find((key) => key !== form)
    if (unknown !== undefined) {
      return report([...path, unknown], 'unknown_field', `stands beside ${form}. Remove it.`)
    }
    const part = value[form] as ExactJson
    if (form === 'not') {
      const not = readFilter(part, [...path, form], level + 1)
      return not && { not }
    }
    if (!Array.isArray(part) || part.length === 0) {
      return report([...path, form], 'invalid_type', 'must be a list of one or more filters.')
    }
    const parts = part.map((one, i) => readFilter(one, [...path, form, i], level + 1))
    const read = parts.filter((one) => one !== null)
    return form === 'all' ? { all: read } : { any: read }
  }

  function readLeaf(value: Fields, path: Path): Leaf | null {
    leaves += 1
    const { path: pathText, op, value: operand, ...unknown } = value
    for (const key of Object.keys(unknown)) {
      const hint = didYouMean(key, ['path', 'op', 'value'])
      report([...path, key], 'unknown_field', `is no field of a condition.${hint}`)
    }
    const steps = typeof pathText === 'string' ? parsePath(pathText) : null
    if (steps === null) report([...path, 'path'], 'invalid_path', PATH_RULE)
    if (typeof op !== 'string' || !isOperator(op)) {
      const hint = typeof op === 'string' ? hintFor(op) : ''
      return report(
        [...path, 'op'],
        'invalid_value',
        `must be one of ${OPERATORS.join(', ')}.${hint}`,
      )
    }
    const rule = valueRule(op, operand)
    if (rule !== null)
      return report([...path, 'value'], operand === undefined ? 'required' : 'invalid_value', rule)
    return steps && ({ path: steps, op, ...(!hasNoValue(op) && { value: operand }) } as Leaf)
  }

  const filter = readFilter(input, at, 1)
  if (leaves > MAX_LEAVES) {
    report(at, 'too_many', `must have at most ${MAX_LEAVES} conditions, not ${leaves}.`)
  }
  return { filter: issues.length > 0 ? null : filter, issues }
}

/** The nearest operator to `notEquals` is its opposite. */
function hintFor(op: string): string {
  return /^(not|no_|does|ne$|!)/i.test(op)
    ? ' Write {"not": {…}} around the condition that must not hold.'
    : didYouMean(op, OPERATORS)
}

const PATH_RULE =
  'must be a path such as $.order.id, $.items[0].sku, $.items[*].sku or $["order-id"], of at most 200 characters.'

type Fields = { readonly [name: string]: ExactJson }

function isObject(value: ExactJson): value is Fields {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
  )
}

function isOperator(text: string): text is Operator {
  return (OPERATORS as readonly string[]).includes(text)
}

const INSTEAD_OF_VALUE = {
  exists: 'For a missing field, use not.',
  changed: 'For the value after the change, add a condition with equals.',
} as const

function hasNoValue(op: Operator): op is keyof typeof INSTEAD_OF_VALUE {
  return op in INSTEAD_OF_VALUE
}

/** What is wrong with the value of a condition, or null. */
function valueRule(op: Operator, value: ExactJson | undefined): string | null {
  if (hasNoValue(op)) {
    return value === undefined ? null : `must be left out for ${op}. ${INSTEAD_OF_VALUE[op]}`
  }
  if (value === undefined) return `is required for ${op}.`
  if (printExactJson(value).length > MAX_VALUE_BYTES || bytesOf(value) > MAX_VALUE_BYTES) {
    return `must have at most ${MAX_VALUE_BYTES.toLocaleString('en')} bytes as JSON.`
  }
  const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
  if (texts.some((text) => text.includes('\0') || !text.isWellFormed())) {
    return 'must not contain the NUL character or a lone surrogate, as Postgres cannot compare them.'
  }
  const numbers = (Array.isArray(value) ? value : [value]).filter(isExactNumber)
  if (!numbers.every((number) => isNumeric(number.value))) {
    return 'must have at most 131,072 digits before the point and 16,383 after, as numbers of Postgres.'
  }
  if (op === 'in') {
    const isList = Array.isArray(value) && value.length > 0 && value.every(isScalar)
    return isList ? null : 'must be a list of one or more texts, numbers, booleans or null.'
  }
  if (op === 'startsWith' || op === 'contains') {
    return typeof value === 'string' && value !== ''
      ? null
      : 'must be a text of 1 or more characters.'
  }
  if ((COMPARISONS as readonly Operator[]).includes(op as Comparison)) {
    const isBound = isExactNumber(value) || (typeof value === 'string' && parseExactTime(value))
    return isBound ? null : 'must be a number, or an RFC 3339 time such as 2026-01-31T12:00:00Z.'
  }
  return isScalar(value)
    ? null
    : 'must be a text, a number, a boolean or null. For the fields of an object, use one condition each.'
}

function isScalar(value: ExactJson): value is Scalar {
  return value === null || typeof value !== 'object' || isExactNumber(value)
}

function bytesOf(value: ExactJson): number {
  return new TextEncoder().encode(printExactJson(value)).length
}

/** The digits that `numeric` keeps before and after the point. */
const MAX_DIGITS_BEFORE = 131_072
const MAX_DIGITS_AFTER = 16_383

/** Almost all numbers are short, and without an exponent. */
const ORDINARY = /^[-\d.]{1,100}$/

/** Whether `numeric` holds a number. */
function isNumeric(digits: string): boolean {
  if (ORDINARY.test(digits)) return true
  const [, whole = '', fraction = '', exponentText = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(digits) ?? []
  const exponent = Number(exponentText)
  if (Math.abs(exponent) > 1_000_000) return false
  const isZero = /^0*$/.test(whole + fraction)
  const before = whole.replace(/^0+/, '').length + exponent
  return (isZero || before <= MAX_DIGITS_BEFORE) && fraction.length - exponent <= MAX_DIGITS_AFTER
}

/** A filter as callers of GraphQL give it: as JSON, or as the text of its JSON. */
export interface GivenFilter {
  readonly filter?: unknown
  readonly filterText?: string | null | undefined
}

/** The text of a given filter. Null removes a filter, and undefined is none. Throws `invalid` if it is given twice. */
export function textOfFilter({ filter, filterText }: GivenFilter): string | null | undefined {
  if (typeof filterText !== 'string') {
    if (filter === undefined) return filterText
    return filter === null ? null : JSON.stringify(filter)
  }
  if (filter === undefined || filter === null) return filterText
  throw invalid([
    fieldIssue(['filterText'], 'ambiguous', 'is given beside filter. Send one of them.'),
  ])
}
