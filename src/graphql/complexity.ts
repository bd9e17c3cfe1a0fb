import type { FieldComplexity } from '@pothos/plugin-complexity'
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { Context } from './context.ts'

interface Operation {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** None when they are wrong. */
  readonly variables: () => Parameters<typeof getArgumentValues>[2]
}

/**
 * What a selection costs by the `complexity` of its fields. (The plugin's own count runs the rules of the arguments too,
 * so that one wrong argument would refuse everything that is asked for beside it.)
 */
export function complexityOf(
  operation: Operation,
  selectionSet: SelectionSetNode,
  type: GraphQLNamedType,
  known = new Map<SelectionSetNode, Map<GraphQLNamedType, number>>(),
): number {
  const before = known.get(selectionSet)?.get(type)
  if (before !== undefined) return before
  const found = selectionSet.selections.reduce((sum, selection) => {
    if (selection.kind === Kind.FIELD) return sum + ofField(selection)
    const fragment =
      selection.kind === Kind.FRAGMENT_SPREAD
        ? operation.fragments.get(selection.name.value)
        : selection
    if (!fragment) return sum
    const name = fragment.typeCondition?.name.value
    const on = (name && operation.schema.getType(name)) || type
    return sum + complexityOf(operation, fragment.selectionSet, on as GraphQLCompositeType, known)
  }, 0)
  known.set(selectionSet, (known.get(selectionSet) ?? new Map()).set(type, found))
  return found

  function ofField(node: FieldNode): number {
    const field =
      isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined
    // Of introspection.
    if (!field) return 0
    const option = field.extensions['complexity'] as FieldComplexity<Context, object>
    const cost =
      typeof option === 'function'
        ? option(argumentsOf(operation, field, node), {} as Context, field)
        : option
    const { field: own = 0, multiplier = 1 } = typeof cost === 'number' ? { field: cost } : cost
    if (!node.selectionSet) return own
    return (
      own + multiplier * complexityOf(operation, node.selectionSet, getNamedType(field.type), known)
    )
  }
}

/** Computed once one of them is looked at: the cost of most fields depends on none. */
function argumentsOf(
  { variables }: Operation,
  field: Parameters<typeof getArgumentValues>[0],
  node: FieldNode,
): Record<string, unknown> {
  const read = (): Record<string, unknown> => {
    if (!node.arguments?.length) return getArgumentValues(field, node)
    const given = variables()
    return given ? getArgumentValues(field, node, given) : {}
  }
  let values: Record<string, unknown> | undefined
  return new Proxy<Record<string, unknown>>(
    {},
    {
      get(_none, name: string) {
        values ??= read()
        return values[name]
      },
    },
  )
}
