import {
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
} from 'graphql'
import {
  collectFields,
  newPlanning,
  type Planning,
} from '../../../bodies/event-graph/plan-selection.ts'

export type PlanScope = Omit<Planning, 'budget'>

/** A root field that an operation selects. */
export interface RootSelection {
  /** The response name. */
  readonly key: string
  /** The field in the document, once per selection. */
  readonly nodes: readonly FieldNode[]
  readonly name: string
  /** Null: `__typename`, `__schema` or `__type`. */
  readonly field: GraphQLField<unknown, unknown> | null
  readonly args: () => Readonly<Record<string, unknown>>
}

export interface Operation {
  readonly definition: OperationDefinitionNode
  readonly rootType: GraphQLObjectType
  readonly scope: PlanScope
  readonly fields: readonly RootSelection[]
}

/** Reads the operation of a valid document. The errors are those of the request: no such operation, or wrong variables. */
export function readOperation({
  schema,
  document,
  operationName,
  variableValues: given,
}: ExecutionArgs): Operation | readonly GraphQLError[] {
  const definition = getOperationAST(document, operationName)
  if (!definition) return [new GraphQLError(whichOperation(operationName))]
  const rootType = schema.getRootType(definition.operation)
  if (!rootType) return [new GraphQLError('The schema has no such operations.')]
  const read = getVariableValues(schema, definition.variableDefinitions ?? [], given ?? {})
  if (read.errors) return read.errors
  const { variableValues } = read
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const one of document.definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one)
  }
  const scope = { schema, fragments, variables: variableValues.coerced }
  const selected = collectFields(newPlanning(scope), rootType, [definition.selectionSet])
  const fields = [...selected].map(([key, nodes]) => {
    const [node] = nodes as [FieldNode]
    const name = node.name.value
    const field = rootType.getFields()[name] ?? null
    const args = () => (field ? getArgumentValues(field, node, variableValues) : {})
    return { key, nodes, name, field, args }
  })
  return { definition, rootType, scope, fields }
}

function whichOperation(name: string | null | undefined): string {
  return name == null
    ? 'The document has several operations, or none. Name one in `operationName`.'
    : `The document has no operation ${JSON.stringify(name.slice(0, 128))}.`
}
