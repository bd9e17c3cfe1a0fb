import { COMPARISONS, type Filter, type Leaf } from './filter.ts'

/** What a filter costs, in the steps of `posthorn.insert_events`. */
export interface FilterCost {
  /** The steps on any event. */
  readonly steps: number
  /** The steps for each value, and for each 64 bytes, of the data. */
  readonly scans: number
}

/** The texts of an event. */
export interface EventTexts {
  readonly data: string
  readonly previous: string | null
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

const BYTES_OF_STEP = 64

/** The steps that a filter takes for an event, as `posthorn.lets_through` counts them. */
export function stepsFor(filter: Filter, { data, previous }: EventTexts): number {
  const { steps, scans } = costOf(filter)
  const bytes = Buffer.byteLength(data) + Buffer.byteLength(previous ?? '')
  const lines = Math.floor(bytes / BYTES_OF_STEP)
  // Each value but the first stands behind a comma or a bracket.
  const commas = scans === 0 ? 0 : commasIn(data) + commasIn(previous ?? '')
  return steps + lines + scans * (1 + commas + lines)
}

function commasIn(text: string): number {
  let count = 0
  for (let at = text.indexOf(','); at !== -1; at = text.indexOf(',', at + 1)) count++
  return count
}

function leavesOf(filter: Filter): Leaf[] {
  if ('all' in filter) return filter.all.flatMap(leavesOf)
  if ('any' in filter) return filter.any.flatMap(leavesOf)
  if ('not' in filter) return leavesOf(filter.not)
  return [filter]
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
