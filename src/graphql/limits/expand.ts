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
import { type Limit, limitExceeded } from './limit-exceeded.ts'

const SPLIT = 'Split it into several operations.'

/** The limits of one operation, with its fragments expanded; those of fields and spreads count all of a document. */
const LIMITS = {
  'root fields': { max: 50, remedy: SPLIT },
  /** The standard introspection query has this depth. */
  'levels of nested fields': { max: 15, remedy: SPLIT },
  'fields with those of its fragments': { max: 1_000, remedy: SPLIT },
  'spreads of fragments': { max: 1_000, remedy: SPLIT },
  /** Of a field with subfields, in one place. */
  'selections of one field': { max: 50, remedy: 'Select it once, with all subfields.' },
  /** Tools that detect server features request four. */
  'types requested with `__type`': {
    max: 4,
    remedy: 'Request all types with `__schema`, or read /schema.graphql.',
  },
  /** With them, a short document could request the schema thousands of times. */
  'aliases in `__schema` and `__type`': {
    max: 0,
    remedy: 'Select each field by its own name, once.',
  },
} satisfies Record<string, Limit>

/** What an operation selects, with its fragments expanded. */
export interface Expansion {
  /** The names of the fields at the root, once per selection. */
  readonly rootFields: readonly string[]
  /** The largest number of fields in its response. */
  readonly cost: number
}

/** A selection set in the place where it is selected. */
interface Selections {
  readonly set: SelectionSetNode
  /** Undefined: the schema has no such type, which validation rejects later. */
  readonly type: GraphQLNamedType | undefined
  readonly fragment: SpreadFragment | null
}

/** The fragments around a selection set, the innermost first. */
interface SpreadFragment {
  readonly name: string
  readonly outer: SpreadFragment | null
}

interface SelectedField extends Omit<Selections, 'set'> {
  readonly node: FieldNode
}

/**
 * Walks through an operation as execution would: at the place of each spread is the fragment, and equal fields in one
 * place are one field with the subfields of all. Throws as soon as the operation exceeds a limit, so the work is bounded
 * even if fragments spread each other many times. Validation compares each field with all equal ones, and everything
 * below them, so the limits hold before it.
 *
 * `counted`: the fields and spreads of the other operations of the document. Costs depend on the variables, which may have any value: the executor checks them later.
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
  const rootFields: string[] = []
  let [deepest, aliases] = [0, 0]

  function collect(selections: Selections, seen: Set<string>, into: SelectedField[]): void {
    for (const selection of selections.set.selections) {
      if (selection.kind === Kind.FIELD) {
        requireSoFar('fields with those of its fragments', ++counted.fields)
        into.push({ ...selections, node: selection })
        continue
      }
      requireSoFar('spreads of fragments', ++counted.spreads)
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        const { typeCondition, selectionSet: set } = selection
        const type = typeCondition ? schema.getType(typeCondition.name.value) : selections.type
        collect({ ...selections, set, type }, seen, into)
        continue
      }
      const name = selection.name.value
      const definition = fragments.get(name)
      // In one place, a fragment adds its fields once. Validation rejects one within itself.
      if (!definition || seen.has(name) || isWithin(name, selections.fragment)) continue
      seen.add(name)
      const { selectionSet: set, typeCondition } = definition
      const type = schema.getType(typeCondition.name.value)
      collect({ set, type, fragment: { name, outer: selections.fragment } }, seen, into)
    }
  }

  /** Returns the cost of all fields in one place. */
  function visit(places: readonly Selections[], depth: number, isIntrospection: boolean): number {
    deepest = Math.max(deepest, depth)
    const selected: SelectedField[] = []
    const seen = new Set<string>()
    for (const place of places) collect(place, seen, selected)
    const byKey = Map.groupBy(selected, ({ node }) => (node.alias ?? node.name).value)
    if (depth === 1) checkRoot(selected, byKey)
    let cost = 0
    for (const [key, same] of byKey) {
      const below = same.flatMap(subfieldsOf)
      requireSoFar('selections of one field', below.length)
      const [{ node } = {}] = same
      const name = node?.name.value ?? key
      const readsSchema = isIntrospection || (depth === 1 && READ_SCHEMA.has(name))
      if (readsSchema && key !== name && !(depth === 1 && name === '__type')) aliases++
      const costs = same.map((selection) => costOf(selection, argumentsOf))
      const rows = Math.max(0, ...costs.map(({ multiplier }) => multiplier))
      cost += Math.max(...costs.map(({ field }) => field))
      if (below.length > 0) cost += rows * visit(below, depth + 1, readsSchema)
    }
    return cost
  }

  function argumentsOf({ arguments: args = [] }: FieldNode): Record<string, unknown> {
    return Object.fromEntries(
      args.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
    )
  }

  function checkRoot(
    selected: readonly SelectedField[],
    byKey: ReadonlyMap<string, readonly SelectedField[]>,
  ): void {
    rootFields.push(...selected.map(({ node }) => node.name.value))
    requireAtMost('root fields', rootFields.length)
    const types = [...byKey.values()].filter(([field]) => field?.node.name.value === '__type')
    requireAtMost('types requested with `__type`', types.length)
  }

  const root = {
    set: operation.selectionSet,
    type: schema.getRootType(operation.operation) ?? undefined,
    fragment: null,
  }
  const cost = visit([root], 1, false)
  requireAtMost('levels of nested fields', deepest)
  requireAtMost('aliases in `__schema` and `__type`', aliases)
  return { rootFields, cost }
}

/** Whether a root field reads the schema. */
export const READ_SCHEMA: ReadonlySet<string> = new Set(['__schema', '__type'])

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

function isWithin(name: string, fragment: SpreadFragment | null): boolean {
  for (let around = fragment; around; around = around.outer) {
    if (around.name === name) return true
  }
  return false
}

function subfieldsOf({ node, type, fragment }: SelectedField): Selections[] {
  if (!node.selectionSet) return []
  const field = fieldOf(type, node)
  return [{ set: node.selectionSet, type: field && getNamedType(field.type), fragment }]
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

function requireAtMost(limit: keyof typeof LIMITS, found: number): void {
  if (found > LIMITS[limit].max) throw limitExceeded(limit, LIMITS[limit], found)
}

/** For a limit at which counting stops. */
function requireSoFar(limit: keyof typeof LIMITS, found: number): void {
  if (found > LIMITS[limit].max) throw limitExceeded(limit, LIMITS[limit])
}
