import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { fieldCost } from './field-complexity.ts'
import { requireAtMost } from './limit-exceeded.ts'

/** What an operation selects, with its fragments expanded. */
export interface Expansion {
  /** Whether it selects `__schema` or `__type`. */
  readonly readsSchema: boolean
  /** The largest number of fields in its response. */
  readonly cost: number
}

interface SelectedField {
  readonly node: FieldNode
  /** Undefined: the schema has no such type, which validation rejects later. */
  readonly parentType: GraphQLNamedType | undefined
}

/**
 * Walks through an operation as execution would: at the place of each spread is the fragment, and equal fields in one
 * place are one field with the subfields of all. Throws as soon as the operation exceeds a limit, so the work is bounded
 * even if fragments spread each other many times. Validation compares each field with all equal ones, and everything
 * below them, so the limits hold before it.
 *
 * `counted`: the fields and spreads of the other operations of the document. Costs depend on the variables, which may have
 * any value: the executor checks them later.
 */
export function expand(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>> = {},
  counted = { fields: 0, spreads: 0 },
): Expansion {
  const fragments = fragmentsOf(document)
  const variables = { ...defaultsOf(operation), ...given }
  let [types, aliases, readsSchema] = [0, 0, false]

  function collect(
    { selections }: SelectionSetNode,
    parentType: GraphQLNamedType | undefined,
    seen: Set<string>,
    into: SelectedField[],
  ): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        requireAtMost('fields with those of its fragments', ++counted.fields)
        into.push({ node: selection, parentType })
        continue
      }
      requireAtMost('spreads of fragments', ++counted.spreads)
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
      // In one place, a fragment adds its fields once.
      if (!fragment || ('name' in fragment && seen.has(fragment.name.value))) continue
      if ('name' in fragment) seen.add(fragment.name.value)
      const { typeCondition, selectionSet } = fragment
      const type = typeCondition ? schema.getType(typeCondition.name.value) : parentType
      collect(selectionSet, type, seen, into)
    }
  }

  /** Returns the cost of all fields in one place. */
  function visit(selected: readonly SelectedField[], depth: number, isOfSchema: boolean): number {
    requireAtMost('levels of nested fields', depth)
    const isRoot = depth === 1
    if (isRoot) requireAtMost('root fields', selected.length)
    let cost = 0
    const nameOf = ({ node }: SelectedField) => (node.alias ?? node.name).value
    for (const [key, same] of Map.groupBy(selected, nameOf)) {
      const name = same[0]?.node.name.value ?? key
      const isType = isRoot && name === '__type'
      if (isType) requireAtMost('types requested with `__type`', ++types)
      const reads = isOfSchema || isType || (isRoot && name === '__schema')
      if (reads && !isType && key !== name) {
        requireAtMost('aliases in `__schema` and `__type`', ++aliases)
      }
      readsSchema ||= reads
      const seen = new Set<string>()
      const below: SelectedField[] = []
      let [places, own, rows] = [0, 0, 0]
      for (const { node, parentType } of same) {
        const field = fieldOf(parentType, node)
        const found = fieldCost(field, parentType, () => argumentsOf(node))
        own = Math.max(own, found.field)
        rows = Math.max(rows, found.multiplier)
        if (!node.selectionSet) continue
        requireAtMost('selections of one field', ++places)
        collect(node.selectionSet, getNamedType(field?.type), seen, below)
      }
      cost += own
      if (below.length > 0) cost += rows * visit(below, depth + 1, reads)
    }
    return cost
  }

  function argumentsOf({ arguments: args = [] }: FieldNode): Record<string, unknown> {
    return Object.fromEntries(
      args.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
    )
  }

  const root: SelectedField[] = []
  const rootType = schema.getRootType(operation.operation) ?? undefined
  collect(operation.selectionSet, rootType, new Set(), root)
  const cost = visit(root, 1, false)
  return { readsSchema, cost }
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode) {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  )
}

function fieldOf(
  type: GraphQLNamedType | undefined,
  { name }: FieldNode,
): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name.value] : undefined
}
