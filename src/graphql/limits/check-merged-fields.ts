import type { OperationDefinitionNode, SelectionSetNode } from 'graphql'
import { MAX_DEPTH } from './depth.ts'
import { limitExceeded } from './limit-exceeded.ts'
import { type Fragments, fieldsOf } from './root-fields.ts'

/** The fields of an operation, those of a fragment counted wherever it is spread. */
export const MAX_MERGED_FIELDS = 1_000

/** How often one field with fields of its own may be selected in one place. */
export const MAX_REPEATS = 50

/**
 * Refuses an operation that is short as it is written, and long with its fragments. Validation compares each two
 * selections of a field with all that is below them, so that the work grows with the square of their number.
 */
export function checkMergedFields(operation: OperationDefinitionNode, fragments: Fragments): void {
  let found = 0

  function merge(sets: readonly SelectionSetNode[], depth: number): void {
    // Only fragments in a circle go deeper, which validation refuses.
    if (depth > MAX_DEPTH) return
    const below = new Map<string, SelectionSetNode[]>()
    const spread = new Set<string>()
    for (const { alias, name, selectionSet } of sets.flatMap((set) =>
      fieldsOf(set, fragments, spread),
    )) {
      if (++found > MAX_MERGED_FIELDS) throw tooManyFields()
      if (!selectionSet) continue
      const key = (alias ?? name).value
      const same = below.get(key) ?? []
      same.push(selectionSet)
      if (same.length > MAX_REPEATS) throw tooManyRepeats()
      below.set(key, same)
    }
    for (const same of below.values()) merge(same, depth + 1)
  }

  merge([operation.selectionSet], 1)
}

function tooManyFields(): Error {
  return limitExceeded({
    limit: 'fields with those of its fragments',
    most: MAX_MERGED_FIELDS,
    remedy: 'Ask in several operations.',
  })
}

function tooManyRepeats(): Error {
  return limitExceeded({
    limit: 'selections of one field',
    most: MAX_REPEATS,
    remedy: 'Select it once, with everything that is needed of it.',
  })
}
