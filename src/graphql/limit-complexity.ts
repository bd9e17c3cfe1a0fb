import type { FieldComplexityFunction } from '@pothos/plugin-complexity'
import {
  type DocumentNode,
  type ExecutionArgs,
  type FragmentDefinitionNode,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  getOperationAST,
  getVariableValues,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
} from 'graphql'
import { MAX_PAGE_SIZE, PAGE_SIZE } from './arguments.ts'
import { complexityOf } from './complexity.ts'
import type { Context } from './context.ts'
import { limitExceeded } from './limit-exceeded.ts'

/**
 * The objects that one answer may hold. Pages of 100 inside each other are too many; a page of 50 deliveries, each with
 * its event, its webhook and ten attempts, is a tenth or so.
 */
export const MAX_COMPLEXITY = 10_000

/** How long a list is taken to be that is no page. */
const LIST_SIZE = 10

/** A field costs the objects that it answers with, for each of its parents; long texts say what they cost themselves. */
export const fieldComplexity: FieldComplexityFunction<Context, Record<string, unknown>> = (
  args,
  _context,
  { name, type, parentType },
) => {
  if (isLeafType(getNamedType(type))) return 0
  if (isConnection(type)) return { field: 1, multiplier: pageSize(args) }
  // These stand in a connection, which multiplies them already.
  if (parentType && isConnection(parentType)) {
    return { field: name === 'nodes' ? 1 : 0, multiplier: 1 }
  }
  return { field: 1, multiplier: isListType(getNullableType(type)) ? LIST_SIZE : 1 }
}

/** Refuses an operation, before any of it is done, whose answer could be too large. */
export function checkComplexity(args: ExecutionArgs): void {
  const known = constants.get(args.document)?.get(args.operationName ?? null)
  if (known !== undefined && known <= MAX_COMPLEXITY) return
  const { schema, document, operationName } = args
  const operation = getOperationAST(document, operationName)
  const type = operation && schema.getRootType(operation.operation)
  // Of these two the executor says what is wrong, and does nothing.
  if (!type) return
  let read: ReturnType<typeof getVariableValues> | undefined
  const readVariables = () => {
    read ??= getVariableValues(schema, operation.variableDefinitions ?? [], {
      ...args.variableValues,
    })
    return read
  }
  const found = complexityOf(
    { schema, fragments: fragmentsOf(document), variables: () => readVariables().variableValues },
    operation.selectionSet,
    type,
  )
  if (!read) remember(args, found)
  // Of wrong variables, too, the executor says what is wrong.
  if (found <= MAX_COMPLEXITY || readVariables().errors) return
  throw limitExceeded({
    limit: 'objects in its largest answer',
    found,
    most: MAX_COMPLEXITY,
    remedy: 'Ask for smaller pages (`first`), or in several operations.',
  })
}

/** Of operations, by their names, that cost the same whatever their variables are, which may be large. */
const constants = new WeakMap<DocumentNode, Map<string | null, number>>()

function remember({ document, operationName }: ExecutionArgs, complexity: number): void {
  const ofDocument = constants.get(document) ?? new Map<string | null, number>()
  constants.set(document, ofDocument.set(operationName ?? null, complexity))
}

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition)
    }
  }
  return fragments
}

function isConnection(type: GraphQLOutputType): boolean {
  const named = getNamedType(type)
  return isObjectType(named) && 'pageInfo' in named.getFields()
}

/** A size out of bounds is refused by its own rule, before a row is read. */
function pageSize(args: Record<string, unknown>): number {
  const size = Number(args['first'] ?? args['last'] ?? PAGE_SIZE)
  return size >= 0 && size <= MAX_PAGE_SIZE ? size : 0
}
