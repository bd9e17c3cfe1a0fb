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

/** Returns how many fields the response could have; 0 if the operation will not execute. */
export type CheckComplexity = (args: ExecutionArgs) => number

/** Rejects an operation whose response could have too many fields, before it executes. */
export function createCheckComplexity(schema: GraphQLSchema): CheckComplexity {
  const countable = withoutArgumentRules(schema)
  /** The complexity of operations that does not depend on their variables. */
  const constants = new WeakMap<OperationDefinitionNode, number>()

  function complexityOf(operation: OperationDefinitionNode, args: ExecutionArgs): number | null {
    const known = constants.get(operation)
    if (known !== undefined) return known
    const variables = { ...args.variableValues }
    // The executor reports invalid variables and executes nothing.
    if (getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors)
      return null
    const document = documentOf(operation, args.document)
    const { complexity } = complexityFromQuery(document, { schema: countable, variables })
    if (!dependsOnVariables(operation, schema)) constants.set(operation, complexity)
    return complexity
  }

  return (args) => {
    const operation = getOperationAST(args.document, args.operationName)
    if (!operation || !schema.getRootType(operation.operation)) return 0
    const found = complexityOf(operation, args)
    if (found === null || found <= MAX_COMPLEXITY) return found ?? 0
    throw limitExceeded({
      limit: 'fields in its largest response',
      found: Math.ceil(found),
      max: MAX_COMPLEXITY,
      remedy: 'Request smaller pages (`first`), or split the operation.',
    })
  }
}

/**
 * A copy of the schema with the complexity of each field and no validation of arguments. In the real schema the plugin
 * validates all arguments first: one invalid argument would reject the whole operation, although a mutation reports it as
 * data.
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

/** Puts the operation first, because the plugin counts the first operation of a document. */
function documentOf(operation: OperationDefinitionNode, document: DocumentNode): DocumentNode {
  const others = document.definitions.filter(({ kind }) => kind !== Kind.OPERATION_DEFINITION)
  return { ...document, definitions: [operation, ...others] }
}

/** The complexity of a field depends on numbers, times and ids among its arguments, but not on input objects. */
function dependsOnVariables(
  { variableDefinitions = [] }: OperationDefinitionNode,
  schema: GraphQLSchema,
): boolean {
  return variableDefinitions.some(({ type }) => !isInputObjectType(schema.getType(nameOf(type))))
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type)
}
