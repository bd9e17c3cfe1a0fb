import { printExactJson } from '../../lib/exact-json.ts'
import type { PathStep } from '../../lib/json-path.ts'
import { parseExactTime } from './exact-time.ts'
import {
  COMPARISONS,
  type Comparison,
  type Filter,
  type Leaf,
  leavesOf,
  type Scalar,
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
   * paths, and those on changes, as a path reads one document.
   */
  readonly times: readonly (TimeLeaf | ChangeLeaf)[]
  readonly cost: FilterCost
}

interface TimeLeaf {
  /** A path to the texts. */
  readonly path: string
  readonly op: Comparison
  readonly seconds: number
  readonly fraction: string
}

interface ChangeLeaf {
  readonly path: string
  readonly op: 'changed'
}

type ReadLeaf = TimeLeaf | ChangeLeaf

export function compileFilter(filter: Filter): CompiledFilter {
  const times: ReadLeaf[] = []
  const tests = print(filter, times)
  return { path: `strict $ ? (${tests})`, times, cost: costOf(filter) }
}

function print(filter: Filter, times: ReadLeaf[]): string {
  if ('all' in filter) return joined(filter.all, ' && ', times)
  if ('any' in filter) return joined(filter.any, ' || ', times)
  if ('not' in filter) return `!(${print(filter.not, times)})`
  return printLeaf(filter, times)
}

function joined(parts: readonly Filter[], operator: string, times: ReadLeaf[]): string {
  return `(${parts.map((part) => print(part, times)).join(operator)})`
}

function printLeaf(leaf: Leaf, times: ReadLeaf[]): string {
  const found = `@${leaf.path.map(printStep).join('')}`
  switch (leaf.op) {
    case 'exists':
      return `exists(${found})`
    case 'changed':
      return `$t[${times.push({ path: `strict $${found.slice(1)}`, op: leaf.op }) - 1}] == true`
    case 'equals':
      return `exists(${found} ? (@ == ${literal(leaf.value)}))`
    case 'in':
      return `exists(${found} ? (${leaf.value.map((one) => `@ == ${literal(one)}`).join(' || ')}))`
    case 'has':
      return `exists(${found}${printStep({ eachItem: true })} ? (@ == ${literal(leaf.value)}))`
    case 'startsWith':
      return `exists(${found} ? (@ starts with ${literal(leaf.value)}))`
    case 'contains':
      return `exists(${found} ? (@ like_regex ${literal(leaf.value)} flag "q"))`
    default:
      return printComparison(leaf.op, leaf.value, found, times)
  }
}

const SYMBOLS = { less: '<', lessOrEqual: '<=', greater: '>', greaterOrEqual: '>=' } as const

function printComparison(op: Comparison, value: Scalar, found: string, times: ReadLeaf[]): string {
  const time = typeof value === 'string' && parseExactTime(value)
  if (!time) return `exists(${found} ? (@ ${SYMBOLS[op]} ${literal(value)}))`
  const path = `strict $${found.slice(1)} ? (@.type() == "string")`
  return `$t[${times.push({ path, op, ...time }) - 1}] == true`
}

/** A step is taken only from a value that has it. */
function printStep(step: PathStep): string {
  if ('eachItem' in step) return ' ? (@.type() == "array")[*]'
  if ('index' in step) {
    return ` ? (@.type() == "array" && @.size() > ${step.index})[${step.index}]`
  }
  const name = literal(step.name)
  return ` ? (@.type() == "object" && exists(@.${name})).${name}`
}

/** A literal of JSON is one of SQL/JSON paths too. */
function literal(value: Scalar): string {
  return printExactJson(value)
}

/** What a filter costs, in the steps of `posthorn.lets_through`. */
interface FilterCost {
  /** The steps on any event. */
  readonly steps: number
  /** The steps for each value, and for each 64 bytes, of the data. */
  readonly scans: number
}

/*
 * The steps of conditions, as measured in Postgres: the first one compares a value that a path finds. Texts are searched by
 * regular expressions, times are read from texts, and a change compares all that the path finds, twice.
 */
const STEPS_OF_LIST_VALUE = 2
const STEPS_OF_SEARCH = 6
const STEPS_OF_TIME = 80
const STEPS_OF_CHANGE = 2
/** What a condition on one value takes beside the comparison, for each step of its path. */
const STEPS_OF_PATH_STEP = 2

function costOf(filter: Filter): FilterCost {
  const leaves = leavesOf(filter)
  return { steps: sum(leaves.map(stepsOf)), scans: sum(leaves.map(scansOf)) }
}

function stepsOf(leaf: Leaf): number {
  return STEPS_OF_PATH_STEP * (leaf.path.length + 1) + stepsOfComparison(leaf)
}

/** Conditions that look at each item of an array, at a whole text, or at all data. */
function scansOf(leaf: Leaf): number {
  const looksAtAll = leaf.op === 'has' || leaf.op === 'contains' || leaf.op === 'changed'
  const looksAtEach = leaf.path.some((step) => 'eachItem' in step)
  return looksAtAll || looksAtEach ? stepsOfComparison(leaf) : 0
}

function stepsOfComparison(leaf: Leaf): number {
  switch (leaf.op) {
    case 'in':
      return 1 + STEPS_OF_LIST_VALUE * leaf.value.length
    case 'contains':
      return STEPS_OF_SEARCH
    case 'changed':
      return STEPS_OF_CHANGE
    default:
      return (COMPARISONS as readonly string[]).includes(leaf.op) &&
        'value' in leaf &&
        typeof leaf.value === 'string'
        ? STEPS_OF_TIME
        : 1
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
