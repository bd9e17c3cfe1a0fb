import { COMPARISONS, type Filter, type Leaf, leavesOf } from './filter.ts'

/** What a filter costs, in the steps of `posthorn.lets_through`. */
export interface FilterCost {
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

export function costOf(filter: Filter): FilterCost {
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
