import { printExactJson } from '../../lib/exact-json.ts'
import type { PathStep } from '../../lib/json-path.ts'
import {
  type ExactTime,
  type Filter,
  type Leaf,
  leavesOf,
  type Operator,
  parseExactTime,
  ruleOf,
  valuesOf,
} from './filter.ts'

/** What Postgres evaluates for each event. */
export interface CompiledFilter {
  /**
   * A path of SQL/JSON without a caller's syntax: it finds the data if the data passes. In strict mode, arrays are not
   * opened unasked; as each step first looks at the type of its value, no step can fail.
   */
  readonly path: string
  /**
   * The conditions that the path reads from the variable `t`: those on times, as Postgres 15 has no times with `Z` in
   * paths, and those on changes, as a path reads one document. Null: none.
   */
  readonly times: readonly ReadLeaf[] | null
  /** The steps of `posthorn.lets_through` on any event. */
  readonly steps: number
  /** The steps for each value, and for each 64 bytes, of the data. */
  readonly scans: number
}

/** `changed`, or a comparison with a time. */
interface ReadLeaf extends Partial<ExactTime> {
  /** A path to what is compared. */
  readonly path: string
  readonly op: Operator
}

export function compileFilter(filter: Filter): CompiledFilter {
  const times: ReadLeaf[] = []
  const tests = print(filter, times)
  const [steps = 0, scans = 0] = [stepsOf, scansOf].map((of) =>
    leavesOf(filter).reduce((sum, leaf) => sum + of(leaf), 0),
  )
  return { path: `strict $ ? (${tests})`, times: times.length > 0 ? times : null, steps, scans }
}

function print(filter: Filter, times: ReadLeaf[]): string {
  const joined = (parts: readonly Filter[], operator: string) =>
    `(${parts.map((part) => print(part, times)).join(operator)})`
  if ('all' in filter) return joined(filter.all, ' && ')
  if ('any' in filter) return joined(filter.any, ' || ')
  if ('not' in filter) return `!(${print(filter.not, times)})`
  return printLeaf(filter, times)
}

function printLeaf(leaf: Leaf, times: ReadLeaf[]): string {
  const { op } = leaf
  const steps = leaf.path.map(printStep).join('')
  const readFrom = (read: ReadLeaf) => `$t[${times.push(read) - 1}] == true`
  if (op === 'exists') return `exists(@${steps})`
  if (op === 'changed') return readFrom({ path: `strict $${steps}`, op })
  const time = timeOf(leaf)
  if (time) return readFrom({ path: `strict $${steps} ? (@.type() == "string")`, op, ...time })
  const items = op === 'has' ? printStep({ eachItem: true }) : ''
  // A literal of JSON is one of SQL/JSON paths too. The flag makes a regular expression a plain text.
  const tests = valuesOf(leaf).map(
    (value) => `${ruleOf(op).test} ${printExactJson(value)}${op === 'contains' ? ' flag "q"' : ''}`,
  )
  return `exists(@${steps}${items} ? (${tests.join(' || ')}))`
}

function timeOf({ op, value }: Leaf): ExactTime | null {
  return ruleOf(op).takes === 'bound' && typeof value === 'string' ? parseExactTime(value) : null
}

/** A step is taken only from a value that has it. */
function printStep(step: PathStep): string {
  if ('eachItem' in step) return ' ? (@.type() == "array")[*]'
  if ('index' in step) {
    return ` ? (@.type() == "array" && @.size() > ${step.index})[${step.index}]`
  }
  const name = printExactJson(step.name)
  return ` ? (@.type() == "object" && exists(@.${name})).${name}`
}

/** What a condition on one value takes beside the comparison, for each step of its path. */
const STEPS_OF_PATH_STEP = 2
/** Times are read from texts. */
const STEPS_OF_TIME = 80

const stepsOf = (leaf: Leaf): number =>
  STEPS_OF_PATH_STEP * (leaf.path.length + 1) + stepsOfComparison(leaf)

function scansOf(leaf: Leaf): number {
  const looksAtEach = leaf.path.some((step) => 'eachItem' in step)
  return ruleOf(leaf.op).scans || looksAtEach ? stepsOfComparison(leaf) : 0
}

function stepsOfComparison(leaf: Leaf): number {
  const { takes, steps = 1 } = ruleOf(leaf.op)
  if (timeOf(leaf)) return STEPS_OF_TIME
  return takes === 'list' ? 1 + steps * valuesOf(leaf).length : steps
}
