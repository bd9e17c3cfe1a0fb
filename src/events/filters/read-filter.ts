import { didYouMean } from '../../lib/did-you-mean.ts'
import { type FieldIssue, fieldIssue, invalid } from '../../lib/errors.ts'
import {
  type ExactJson,
  type ExactObject,
  isExactNumber,
  isExactObject,
  parseExactJson,
  printExactJson,
} from '../../lib/exact-json.ts'
import type { IssueCode } from '../../lib/issue-codes.ts'
import { parsePath, printPath } from '../../lib/json-path.ts'
import { type Filter, isOperator, type Leaf, OPERATORS, ruleOf, VALUES } from './filter.ts'

const MAX_LEAVES = 20
const MAX_LEVELS = 8
/** The largest value of a condition, as JSON. */
const MAX_VALUE_BYTES = 1_024

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
    if (!isExactObject(value)) {
      return report(path, 'invalid_type', `must be an object with all, any, not, or path and op.`)
    }
    const form = ['all', 'any', 'not', 'path'].find((key) => key in value)
    if (form === undefined) {
      return report(path, 'required', 'needs one of all, any, not, or path with op.')
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

  function readLeaf(value: ExactObject, path: Path): Leaf | null {
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
      return report([...path, 'op'], 'invalid_value', `must be one of ${NAMES.join(', ')}.${hint}`)
    }
    const [isTaken, rule] = VALUES[ruleOf(op).takes]
    const valuePath = [...path, 'value']
    const wrong = operand === undefined ? null : wrongBytes(operand)
    if (wrong !== null) return report(valuePath, 'invalid_value', wrong)
    if (!isTaken(operand)) {
      return operand === undefined
        ? report(valuePath, 'required', `is required for ${op}.`)
        : report(valuePath, 'invalid_value', rule)
    }
    return steps && ({ path: steps, op, ...(operand !== undefined && { value: operand }) } as Leaf)
  }

  const filter = readFilter(input, at, 1)
  if (leaves > MAX_LEAVES) {
    report(at, 'too_many', `must have at most ${MAX_LEAVES} conditions, not ${leaves}.`)
  }
  return { filter: issues.length > 0 ? null : filter, issues }
}

const NAMES = Object.keys(OPERATORS)

/** The nearest operator to `notEquals` is its opposite. */
function hintFor(op: string): string {
  return /^(not|no_|does|ne$|!)/i.test(op)
    ? ' Write {"not": {…}} around the condition that must not hold.'
    : didYouMean(op, NAMES)
}

const PATH_RULE =
  'must be a path such as $.order.id, $.items[0].sku, $.items[*].sku or $["order-id"], of at most 200 characters.'

/** What is wrong with a value of any operator: too many bytes, a text that Postgres rejects, or a number out of range. */
function wrongBytes(value: ExactJson): string | null {
  if (Buffer.byteLength(printExactJson(value)) > MAX_VALUE_BYTES) {
    return `must have at most ${MAX_VALUE_BYTES.toLocaleString('en')} bytes as JSON.`
  }
  for (const one of Array.isArray(value) ? value : [value]) {
    if (typeof one === 'string' && (one.includes('\0') || !one.isWellFormed())) {
      return 'must not contain the NUL character or a lone surrogate, as Postgres cannot compare them.'
    }
    // With this bound, `numeric` holds the digits of each value.
    if (isExactNumber(one) && /e[-+]?0*[1-9]\d{4}/i.test(one.value)) {
      return 'must have an exponent of at most four digits.'
    }
  }
  return null
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

/** Reads a given filter. Null without an issue: none is given. Throws `invalid` if it is given twice. */
export function readGivenFilter(given: GivenFilter): ReturnType<typeof readFilter> {
  const text = textOfFilter(given)
  const field = typeof given.filterText === 'string' ? 'filterText' : 'filter'
  return typeof text === 'string' ? readFilter(text, [field]) : { filter: null, issues: [] }
}
