import {
  type ASTNode,
  type FieldNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { eventTypeOf, memberOf } from './event-types.ts'

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
  /** Null: the name of the type of the event. */
  readonly typename: string | null
  readonly fields: readonly FieldPlan[]
}

export interface FieldPlan {
  readonly key: string
  /** The members that lead to the value. */
  readonly path: readonly string[]
  readonly value: ValuePlan
}

/**
 * A value of another JSON type is null. `json` is any value. Enums are strings and `Int` is a number: a value that a schema
 * does not list, or lists only later, stays as it is.
 */
export type ValuePlan =
  | ObjectPlan
  | { readonly kind: 'list'; readonly of: ValuePlan }
  | { readonly kind: 'json' | 'string' | 'boolean' | 'number' | 'typename' }

/** What a plan is made with: of a valid document. */
type Document = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>

/** Of all types of events together. */
const MAX_PLANNED_FIELDS = 4_000

interface Planning extends Document {
  /** Fields that the plan may still have. Fragments that spread fragments make many of few. */
  fieldsLeft: number
}

/** The plan of selection sets on the interface `Event`. Throws a `GraphQLError` if the plan is too large. */
export function planEvent(
  document: Document,
  selectionSets: readonly SelectionSetNode[],
): SelectionPlan {
  const planning = { ...document, fieldsLeft: MAX_PLANNED_FIELDS }
  const event = planning.schema.getType('Event')
  if (!isAbstractType(event)) throw new Error('The schema has no events.')
  const named = namedTypes([...selectionSets, ...Object.values(planning.fragments)])
  const cases = planning.schema
    .getPossibleTypes(event)
    .filter((type) => named.has(type.name) && eventTypeOf(type) !== undefined)
    .map((type) => ({
      eventType: eventTypeOf(type) as string,
      plan: planObject(planning, type, selectionSets),
    }))
  return { cases, other: planObject(planning, event, selectionSets) }
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
  type: GraphQLNamedType,
  selectionSets: readonly SelectionSetNode[],
): ObjectPlan {
  const fields = [...collectFields(planning, type, selectionSets)].map(
    ([key, nodes]): FieldPlan => {
      const name = nodes[0]?.name.value ?? ''
      if (name === '__typename') return { key, path: [], value: { kind: 'typename' } }
      const field = 'getFields' in type ? type.getFields()[name] : undefined
      if (field === undefined || !('args' in field)) throw new Error(`${type.name} has no ${name}.`)
      return { key, path: memberOf(field), value: planValue(planning, field.type, nodes) }
    },
  )
  return { kind: 'object', typename: isObjectType(type) ? type.name : null, fields }
}

/** The plan of what a field of a type gives. `nodes`: the field in the document, with one response name. */
function planValue(
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
  return planObject(planning, named, selectionSetsOf(nodes))
}

export function selectionSetsOf(nodes: readonly FieldNode[]): SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
}

const SCALARS: Readonly<Record<string, 'string' | 'boolean' | 'number' | 'json'>> = {
  ID: 'string',
  String: 'string',
  DateTime: 'string',
  Boolean: 'boolean',
  Int: 'number',
  Float: 'number',
  JSON: 'json',
}

/** The fields of an object by their response name, in the order of the response. */
function collectFields(
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
        const fragment = planning.fragments[node.name.value]
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
    if (--planning.fieldsLeft >= 0) return
    throw new GraphQLError(
      `A selection has at most ${MAX_PLANNED_FIELDS} fields, counted for each event type and where fragments are spread. Select fewer, or data.`,
      { nodes: node, extensions: { code: 'LIMIT_EXCEEDED' } },
    )
  }
}

function applies({ schema }: Planning, type: GraphQLNamedType, condition = type.name): boolean {
  if (condition === type.name) return true
  const wider = schema.getType(condition)
  return isObjectType(type) && isAbstractType(wider) && schema.isSubType(wider, type)
}

function isIncluded({ variableValues }: Planning, node: SelectionNode): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues)
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues)
  return skip?.['if'] !== true && include?.['if'] !== false
}
