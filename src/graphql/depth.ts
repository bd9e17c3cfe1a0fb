import {
  type ASTVisitor,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'
import { createGraphQLError } from 'graphql-yoga'

/** How many fields may stand inside each other; the usual introspection query needs all of them. */
export const MAX_DEPTH = 15

/** Refuses operations that are deeper than that, their fragments followed. */
export function limitDepth(context: ValidationContext): ASTVisitor {
  const known = new Map<FragmentDefinitionNode, number>()

  function depthOf({ selections }: SelectionSetNode): number {
    return Math.max(...selections.map(depthOfSelection))
  }

  function depthOfSelection(selection: SelectionNode): number {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      return depthOfFragment(context.getFragment(selection.name.value))
    }
    const below = selection.selectionSet ? depthOf(selection.selectionSet) : 0
    return selection.kind === Kind.FIELD ? 1 + below : below
  }

  function depthOfFragment(fragment: FragmentDefinitionNode | null | undefined): number {
    if (!fragment) return 0
    const depth = known.get(fragment)
    if (depth !== undefined) return depth
    // Ends a circle of fragments, which another rule refuses.
    known.set(fragment, 0)
    const found = depthOf(fragment.selectionSet)
    known.set(fragment, found)
    return found
  }

  return {
    OperationDefinition(operation) {
      const depth = depthOf(operation.selectionSet)
      if (depth <= MAX_DEPTH) return
      const message = `The operation is ${depth} fields deep; at most ${MAX_DEPTH} are allowed. Ask in several operations.`
      context.reportError(createGraphQLError(message, { nodes: operation }))
    },
  }
}
