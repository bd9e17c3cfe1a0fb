import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { ObjectPlan, Read, ScalarPlan, SelectionPlan, ValuePlan } from './plan.ts'
import { eventTypeOf, memberOf } from './sources.ts'

/** What a plan is made with. The document must be valid. */
export interface Planning {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** For `@skip` and `@include`. */
  readonly variables: Readonly<Record<string, unknown>>
  /** Fields that the plan may still have. Fragments that spread fragments make many of few. */
  readonly budget: { fields: number }
}

export class PlanTooLarge extends Error {
  override readonly name = 'PlanTooLarge'
}

/** The plan of selection sets on the interface `Event`. */
export function planEvent(
  planning: Planning,
  selectionSets: readonly SelectionSetNode[],
): SelectionPlan {
  const event = planning.schema.getType('Event')
  if (!isAbstractType(event)) throw new Error('The schema has no events.')
  const named = namedTypes(planning, selectionSets)
  const types = planning.schema.getPossibleTypes(event)
  const cases = types
    .filter((type) => named.has(type.name))
    .map((type) => ({
      eventType: eventTypeOf(type),
      plan: planObject(planning, type, selectionSets),
    }))
  const other = planObject(planning, event, selectionSets)
  if (other.typenames.length === 0) return { cases, other }
  const typenames = Object.fromEntries(types.map((type) => [eventTypeOf(type), type.name]))
  return { cases, other, typenames }
}

/** The types that conditions in the selection sets name, at any depth of fragments, but not within fields. */
function namedTypes(planning: Planning, selectionSets: readonly SelectionSetNode[]): Set<string> {
  const names = new Set<string>()
  const visited = new Set<string>()
  const todo = [...selectionSets]
  for (let set = todo.pop(); set !== undefined; set = todo.pop()) {
    for (const node of set.selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) {
        if (node.typeCondition) names.add(node.typeCondition.name.value)
        todo.push(node.selectionSet)
      } else if (node.kind === Kind.FRAGMENT_SPREAD && !visited.has(node.name.value)) {
        visited.add(node.name.value)
        const fragment = planning.fragments.get(node.name.value)
        if (!fragment) continue
        names.add(fragment.typeCondition.name.value)
        todo.push(fragment.selectionSet)
      }
    }
  }
  return names
}

/** Of an interface, the plan for objects whose type no condition names. */
function planObject(
  planning: Planning,
  type: GraphQLNamedType,
  selectionSets: readonly SelectionSetNode[],
): ObjectPlan {
  const fields = collectFields(planning, type, selectionSets)
  const keys = [...fields.keys()]
  const reads: Read[] = []
  const typenames: number[] = []
  for (const [key, nodes] of [...fields.values()].entries()) {
    const name = nodes[0]?.name.value ?? ''
    if (name === '__typename') {
      typenames.push(key)
      continue
    }
    const field = 'getFields' in type ? type.getFields()[name] : undefined
    if (field === undefined || !('args' in field)) throw new Error(`${type.name} has no ${name}.`)
    const value = planValue(planning, field.type, nodes)
    addRead(reads, memberOf(field), key, value)
  }
  const typename = isObjectType(type) ? type.name : null
  return { kind: 'object', keys, reads, typenames, typename }
}

function addRead(reads: Read[], path: readonly string[], key: number, value: ValuePlan): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    reads.push({ name, key, value })
    return
  }
  const found = reads.find((read) => read.name === name && 'within' in read)
  const within = found && 'within' in found ? (found.within as Read[]) : []
  if (!found) reads.push({ name, within })
  addRead(within, rest, key, value)
}

/** The plan of what a field of a type gives. `nodes`: the field in the document, with one response name. */
export function planValue(
  planning: Planning,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
): ValuePlan {
  if (isNonNullType(type)) return planValue(planning, type.ofType, nodes)
  if (isListType(type)) return { kind: 'list', of: planValue(planning, type.ofType, nodes) }
  if (isEnumType(type)) return { kind: 'string' }
  const named = getNamedType(type)
  const kind = SCALARS[named.name]
  if (kind !== undefined) return { kind }
  const sets = nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []))
  return planObject(planning, named, sets)
}

const SCALARS: Readonly<Record<string, ScalarPlan['kind']>> = {
  ID: 'string',
  String: 'string',
  DateTime: 'string',
  Boolean: 'boolean',
  Int: 'number',
  Float: 'number',
  JSON: 'json',
}

/** The fields of an object by their response name, in the order of the response. */
export function collectFields(
  planning: Planning,
  type: GraphQLNamedType,
  selectionSets: readonly SelectionSetNode[],
): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>()
  const visited = new Set<string>()
  for (const { selections } of selectionSets) collect(selections)
  return fields

  function collect(selections: readonly SelectionNode[]): void {
    for (const node of selections) {
      if (!isIncluded(planning, node)) continue
      if (node.kind === Kind.FIELD) {
        add(node)
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (applies(planning, type, node.typeCondition?.name.value)) {
          collect(node.selectionSet.selections)
        }
      } else if (!visited.has(node.name.value)) {
        visited.add(node.name.value)
        const fragment = planning.fragments.get(node.name.value)
        if (fragment && applies(planning, type, fragment.typeCondition.name.value)) {
          collect(fragment.selectionSet.selections)
        }
      }
    }
  }

  function add(node: FieldNode): void {
    const name = (node.alias ?? node.name).value
    const same = fields.get(name)
    const other = same?.[0]?.name.value ?? node.name.value
    if (other !== node.name.value) {
      throw new GraphQLError(
        `"${name}" is the name of two values, "${other}" and "${node.name.value}". Give one of them an alias.`,
        { nodes: node },
      )
    }
    if (same) same.push(node)
    else fields.set(name, [node])
    if (--planning.budget.fields < 0) throw new PlanTooLarge()
  }
}

function applies({ schema }: Planning, type: GraphQLNamedType, condition = type.name): boolean {
  if (condition === type.name) return true
  const wider = schema.getType(condition)
  return isObjectType(type) && isAbstractType(wider) && schema.isSubType(wider, type)
}

function isIncluded({ variables }: Planning, node: SelectionNode): boolean {
  const is = (name: string, missing: boolean) => {
    const value = node.directives
      ?.find((one) => one.name.value === name)
      ?.arguments?.find((one) => one.name.value === 'if')?.value
    if (value?.kind === Kind.VARIABLE) return variables[value.name.value] === true
    return value?.kind === Kind.BOOLEAN ? value.value : missing
  }
  return !is('skip', false) && is('include', true)
}
