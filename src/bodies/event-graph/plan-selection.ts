import { collectFields } from '@graphql-tools/utils'
import {
  type ASTNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  visit,
} from 'graphql'
import { eventTypeOf, memberOf } from './event-types.ts'
import { EVENT_FIELDS } from './names.ts'

/*
 * What a selection takes from JSON. Plans are plain JSON: the plan of a webhook is stored, so that a
 * change of the catalogue does not change the selection.
 */

/** The plan of a selection on `Event`. The name of the event type decides which case applies. */
export interface SelectionPlan {
  readonly cases: readonly { readonly eventType: string; readonly plan: ObjectPlan }[]
  /** For an event type without a case. */
  readonly other: ObjectPlan
}

/** Makes an object with these members, in their order. A missing value is null. */
export interface ObjectPlan {
  readonly kind: 'object'
  readonly fields: readonly FieldPlan[]
}

export interface FieldPlan {
  readonly key: string
  /** The members that lead to the value. */
  readonly path: readonly string[]
  readonly value: ValuePlan
}

/** A value of another JSON type is null. `json` is any value. */
export type ValuePlan =
  | ObjectPlan
  | { readonly kind: 'list'; readonly of: ValuePlan }
  | { readonly kind: 'json' | 'string' | 'boolean' | 'number' }
  | { readonly kind: 'constant'; readonly value: string }

/** What a plan is made with: of a valid document. */
type Document = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>

/** Of all types of events together. */
const MAX_PLANNED_FIELDS = 4_000

interface Planning extends Document {
  /** Fields that the plan may still have. Fragments that spread fragments make many of few. */
  fieldsLeft: number
}

/** What has a selection set on the interface `Event`, or on what a field gives. */
type Node = FieldNode | FragmentDefinitionNode

/** The plan of selection sets on the interface `Event`. Throws a `GraphQLError` if the plan is too large. */
export function planEvent(document: Document, nodes: readonly Node[]): SelectionPlan {
  const planning = { ...document, fieldsLeft: MAX_PLANNED_FIELDS }
  const event = planning.schema.getType('Event')
  if (!isInterfaceType(event)) throw new Error('The schema has no events.')
  const named = namedTypes([...nodes, ...Object.values(planning.fragments)])
  const cases = planning.schema
    .getPossibleTypes(event)
    .filter((type) => named.has(type.name) && eventTypeOf(type) !== undefined)
    .map((type) => ({
      eventType: eventTypeOf(type) as string,
      plan: planObject(planning, type, nodes),
    }))
  return { cases, other: planObject(planning, event, nodes) }
}

/** The types that conditions name. */
export function namedTypes(nodes: readonly ASTNode[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const node of nodes) visit(node, { NamedType: ({ name }) => void names.add(name.value) })
  return names
}

/** Of an interface, the plan for objects whose type no condition names. */
function planObject(
  planning: Planning,
  type: GraphQLObjectType | GraphQLInterfaceType,
  nodes: readonly Node[],
): ObjectPlan {
  const { schema, fragments, variableValues } = planning
  const selections = nodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? [])
  const set = { kind: Kind.SELECTION_SET, selections } as const
  // An interface matches itself alone.
  const object = type as GraphQLObjectType
  const { fields } = collectFields(schema, fragments, variableValues, object, set)
  const plans = [...fields].map(([key, same]): FieldPlan => {
    const name = onlyName(planning, key, same)
    if (name === '__typename') return { key, ...typenameOf(type) }
    const field = type.getFields()[name]
    if (field === undefined) throw new Error(`${type.name} has no ${name}.`)
    const isOfData = eventTypeOf(type) !== undefined && !EVENT_FIELDS.includes(name)
    const path = [...(isOfData ? ['data'] : []), memberOf(field)]
    return { key, path, value: planValue(planning, field.type, same) }
  })
  return { kind: 'object', fields: plans }
}

/** Of an event of any type, the name of its type is a member of the event. */
function typenameOf(type: GraphQLObjectType | GraphQLInterfaceType): Omit<FieldPlan, 'key'> {
  return isObjectType(type)
    ? { path: [], value: { kind: 'constant', value: type.name } }
    : { path: ['__typename'], value: { kind: 'string' } }
}

/** The name of the fields that have one response name. */
function onlyName(planning: Planning, key: string, nodes: readonly FieldNode[]): string {
  planning.fieldsLeft -= nodes.length
  if (planning.fieldsLeft < 0) {
    throw new GraphQLError(
      `A selection has at most ${MAX_PLANNED_FIELDS} fields, counted for each event type and where fragments are spread. Select fewer, or data.`,
      { nodes, extensions: { code: 'LIMIT_EXCEEDED' } },
    )
  }
  const [name = '', ...others] = new Set(nodes.map((node) => node.name.value))
  const [other] = others
  if (other === undefined) return name
  throw new GraphQLError(
    `"${key}" is the name of two values, "${name}" and "${other}". Give one of them an alias.`,
    { nodes: nodes.filter((node) => node.name.value === other) },
  )
}

/** The plan of what a field of a type gives. `nodes`: the field in the document, with one response name. */
function planValue(
  planning: Planning,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
): ValuePlan {
  if (isNonNullType(type)) return planValue(planning, type.ofType, nodes)
  if (isListType(type)) return { kind: 'list', of: planValue(planning, type.ofType, nodes) }
  if (isObjectType(type)) return planObject(planning, type, nodes)
  return { kind: SCALARS[type.name] ?? 'json' }
}

const SCALARS: Readonly<Record<string, 'string' | 'boolean' | 'number'>> = {
  ID: 'string',
  String: 'string',
  DateTime: 'string',
  Boolean: 'boolean',
  Float: 'number',
}
