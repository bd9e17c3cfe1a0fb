import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition)
    }
  }
  return fragments
}

export function operationsOf({ definitions }: DocumentNode): OperationDefinitionNode[] {
  return definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
}

/** The root fields of an operation, fragments included. */
export function rootFieldsOf(
  { selectionSet }: OperationDefinitionNode,
  fragments: Fragments,
): FieldNode[] {
  return fieldsOf(selectionSet, fragments, new Set())
}

/** The fields of a selection set and its fragments. Each fragment counts once, as in execution. */
export function fieldsOf(
  { selections }: SelectionSetNode,
  fragments: Fragments,
  spread: Set<string>,
): FieldNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return selection
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      return fieldsOf(selection.selectionSet, fragments, spread)
    }
    const name = selection.name.value
    const fragment = fragments.get(name)
    if (!fragment || spread.has(name)) return []
    spread.add(name)
    return fieldsOf(fragment.selectionSet, fragments, spread)
  })
}
