import { complexityFromQuery } from '@pothos/plugin-complexity'
import {
  buildSchema,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  printSchema,
  type TypeNode,
} from 'graphql'
import { MAX_COMPLEXITY } from './field-complexity.ts'
import { limitExceeded } from './limit-exceeded.ts'

export type CheckComplexity = (args: ExecutionArgs) => void

/** Refuses an operation, before any of it is done, whose answer could have too many fields. */
export function createCheckComplexity(schema: GraphQLSchema): CheckComplexity {
  const counted = withoutArgumentRules(schema)
  /** By operation: what it costs whatever its variables are, which may be large. */
  const constants = new WeakMap<OperationDefinitionNode, number>()

  function complexityOf(operation: OperationDefinitionNode, args: ExecutionArgs): number | null {
    const known = constants.get(operation)
    if (known !== undefined) return known
    const variables = { ...args.variableValues }
    // Of wrong variables the executor says what is wrong, and does nothing.
    if (getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors)
      return null
    const document = documentOf(operation, args.document)
    const { complexity } = complexityFromQuery(document, { schema: counted, variables })
    if (!dependsOnVariables(operation, schema)) constants.set(operation, complexity)
    return complexity
  }

  return (args) => {
    const operation = getOperationAST(args.document, args.operationName)
    if (!operation || !schema.getRootType(operation.operation)) return
    const found = complexityOf(operation, args)
    if (found === null || found <= MAX_COMPLEXITY) return
    throw limitExceeded({
      limit: 'fields in its largest answer',
      found: Math.ceil(found),
      most: MAX_COMPLEXITY,
      remedy: 'Ask for smaller pages (`first`), or in several operations.',
    })
  }
}

/**
 * The schema as far as the plugin needs it to count. In the real one it would run the rules of all arguments first, so
 * that one wrong argument would refuse everything beside it, also where the mistake is data that a mutation answers.
 */
function withoutArgumentRules(schema: GraphQLSchema): GraphQLSchema {
  const copy = buildSchema(printSchema(schema), { assumeValid: true, noLocation: true })
  for (const type of Object.values(copy.getTypeMap())) {
    const original = schema.getType(type.name)
    if (!hasFields(type) || !hasFields(original)) continue
    for (const [name, field] of Object.entries(type.getFields())) {
      const { complexity } = original.getFields()[name]?.extensions ?? {}
      field.extensions = { complexity }
    }
  }
  return copy
}

function hasFields(type: unknown) {
  return isObjectType(type) || isInterfaceType(type)
}

/** The plugin counts the first operation that it finds. */
function documentOf(operation: OperationDefinitionNode, document: DocumentNode): DocumentNode {
  const others = document.definitions.filter(({ kind }) => kind !== Kind.OPERATION_DEFINITION)
  return { ...document, definitions: [operation, ...others] }
}

/** What a field costs depends on numbers, times and ids, and on nothing that stands in an input object. */
function dependsOnVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  schema: GraphQLSchema,
): boolean {
  return variableDefinitions.some(({ type }) => !isInputObjectType(schema.getType(nameOf(type))))
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type)
}
