import type { OperationDefinitionNode, SelectionSetNode } from 'graphql'
import { MAX_DEPTH } from './depth.ts'
import { limitExceeded } from './limit-exceeded.ts'
import { type Fragments, fieldsOf } from './root-fields.ts'

/** The fields of an operation. Those of a fragment count at each spread. */
export const MAX_MERGED_FIELDS = 1_000

/** How often one field with subfields may be selected in one place. */
export const MAX_REPEATS = 50

/**
 * Rejects an operation that becomes too long once its fragments are spread. Validation compares all pairs of selections of
 * a field, with everything below them, so its work grows with the square of their number.
 */
export function checkMergedFields(operation: OperationDefinitionNode, fragments: Fragments): void {
  let found = 0

  function merge(sets: readonly SelectionSetNode[], depth: number): void {
    // Only cyclic fragments go deeper. Validation rejects them.
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
    max: MAX_MERGED_FIELDS,
    remedy: 'Split it into several operations.',
  })
}

function tooManyRepeats(): Error {
  return limitExceeded({
    limit: 'selections of one field',
    max: MAX_REPEATS,
    remedy: 'Select it once, with all subfields.',
  })
}
