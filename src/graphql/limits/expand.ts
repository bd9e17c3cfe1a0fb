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

/** A selection set in the place where it is selected. */
interface Selections {
  readonly set: SelectionSetNode
  /** Undefined: the schema has no such type, which validation rejects later. */
  readonly type: GraphQLNamedType | undefined
}

interface SelectedField {
  readonly node: FieldNode
  readonly type: GraphQLNamedType | undefined
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

  function collect({ set, type }: Selections, seen: Set<string>, into: SelectedField[]): void {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        requireAtMost('fields with those of its fragments', ++counted.fields)
        into.push({ node: selection, type })
        continue
      }
      requireAtMost('spreads of fragments', ++counted.spreads)
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
      // In one place, a fragment adds its fields once.
      if (!fragment || ('name' in fragment && seen.has(fragment.name.value))) continue
      if ('name' in fragment) seen.add(fragment.name.value)
      const { typeCondition, selectionSet } = fragment
      const narrowed = typeCondition ? schema.getType(typeCondition.name.value) : type
      collect({ set: selectionSet, type: narrowed }, seen, into)
    }
  }

  /** Returns the cost of all fields in one place. */
  function visit(places: readonly Selections[], depth: number, isIntrospection: boolean): number {
    requireAtMost('levels of nested fields', depth)
    const selected: SelectedField[] = []
    const seen = new Set<string>()
    for (const place of places) collect(place, seen, selected)
    const isRoot = depth === 1
    if (isRoot) requireAtMost('root fields', selected.length)
    let cost = 0
    for (const [key, same] of Map.groupBy(
      selected,
      ({ node }) => (node.alias ?? node.name).value,
    )) {
      const below = same.flatMap(subfieldsOf)
      requireAtMost('selections of one field', below.length)
      const name = same[0]?.node.name.value ?? key
      const isType = isRoot && name === '__type'
      if (isType) requireAtMost('types requested with `__type`', ++types)
      const isOfSchema = isIntrospection || isType || (isRoot && name === '__schema')
      if (isOfSchema && !isType && key !== name) {
        requireAtMost('aliases in `__schema` and `__type`', ++aliases)
      }
      readsSchema ||= isOfSchema
      const costs = same.map((selection) => costOf(selection, argumentsOf))
      const rows = Math.max(0, ...costs.map(({ multiplier }) => multiplier))
      cost += Math.max(...costs.map(({ field }) => field))
      if (below.length > 0) cost += rows * visit(below, depth + 1, isOfSchema)
    }
    return cost
  }

  function argumentsOf({ arguments: args = [] }: FieldNode): Record<string, unknown> {
    return Object.fromEntries(
      args.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
    )
  }

  const root = {
    set: operation.selectionSet,
    type: schema.getRootType(operation.operation) ?? undefined,
  }
  const cost = visit([root], 1, false)
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

function subfieldsOf({ node, type }: SelectedField): Selections[] {
  if (!node.selectionSet) return []
  const field = fieldOf(type, node)
  return [{ set: node.selectionSet, type: field && getNamedType(field.type) }]
}

function costOf(
  { node, type }: SelectedField,
  argumentsOf: (node: FieldNode) => Record<string, unknown>,
) {
  const field = fieldOf(type, node)
  if (!field || !type) return { field: 1, multiplier: 1 }
  return fieldCost(field, type, () => argumentsOf(node))
}

function fieldOf(
  type: GraphQLNamedType | undefined,
  { name }: FieldNode,
): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name.value] : undefined
}
