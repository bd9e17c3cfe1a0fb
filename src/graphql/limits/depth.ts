import {
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

/** The maximum depth of nested fields. The standard introspection query has this depth. */
export const MAX_DEPTH = 15

/** The depth of nested fields, fragments included. */
export function depthOf(
  selectionSet: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): number {
  const known = new Map<string, number>()

  function depthOfSet({ selections }: SelectionSetNode): number {
    return Math.max(...selections.map(depthOfSelection))
  }

  function depthOfSelection(selection: SelectionNode): number {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return depthOfFragment(selection.name.value)
    const below = selection.selectionSet ? depthOfSet(selection.selectionSet) : 0
    return selection.kind === Kind.FIELD ? 1 + below : below
  }

  function depthOfFragment(name: string): number {
    const fragment = fragments.get(name)
    if (!fragment) return 0
    const depth = known.get(name)
    if (depth !== undefined) return depth
    // Stops at cyclic fragments, which validation rejects.
    known.set(name, 0)
    const found = depthOfSet(fragment.selectionSet)
    known.set(name, found)
    return found
  }

  return depthOfSet(selectionSet)
}
