import {
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

/** How many fields may stand inside each other; the usual introspection query needs all of them. */
export const MAX_DEPTH = 15

/** How many fields stand inside each other, fragments followed. */
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
    // Ends a circle of fragments, which validation refuses.
    known.set(name, 0)
    const found = depthOfSet(fragment.selectionSet)
    known.set(name, found)
    return found
  }

  return depthOfSet(selectionSet)
}
