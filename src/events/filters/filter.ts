import type { ExactJson } from '../../lib/exact-json.ts'
import type { PathStep } from '../../lib/json-path.ts'

/** What a webhook asks of an event before a delivery is created: of its data, and of the data before the change. */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | Leaf

/** One condition. It holds if a value that the path finds meets the operator. */
export type Leaf =
  | { readonly path: readonly PathStep[]; readonly op: 'exists' }
  /** What the path finds differs from what it finds in the data before the change. */
  | { readonly path: readonly PathStep[]; readonly op: 'changed' }
  | { readonly path: readonly PathStep[]; readonly op: 'in'; readonly value: readonly Scalar[] }
  | { readonly path: readonly PathStep[]; readonly op: 'equals' | 'has'; readonly value: Scalar }
  | {
      readonly path: readonly PathStep[]
      readonly op: 'startsWith' | 'contains'
      readonly value: string
    }
  | {
      readonly path: readonly PathStep[]
      readonly op: Comparison
      /** A number, or an RFC 3339 time. */
      readonly value: Exclude<Scalar, boolean | null>
    }

export function leavesOf(filter: Filter): readonly Leaf[] {
  if ('all' in filter) return filter.all.flatMap(leavesOf)
  if ('any' in filter) return filter.any.flatMap(leavesOf)
  if ('not' in filter) return leavesOf(filter.not)
  return [filter]
}

export type Scalar = Exclude<ExactJson, readonly ExactJson[] | { [name: string]: ExactJson }>

export const COMPARISONS = ['less', 'lessOrEqual', 'greater', 'greaterOrEqual'] as const
export type Comparison = (typeof COMPARISONS)[number]

export const OPERATORS = [
  'equals',
  'in',
  'exists',
  ...COMPARISONS,
  'startsWith',
  'contains',
  'has',
  'changed',
] as const
export type Operator = (typeof OPERATORS)[number]

export const MAX_LEAVES = 20
export const MAX_LEVELS = 8
/** The largest value of a leaf, as JSON. */
export const MAX_VALUE_BYTES = 1_024
