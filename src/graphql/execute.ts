import {
  type ExecutionResult,
  executeRootSelectionSet,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  subscribe,
  validateExecutionArgs,
} from 'graphql'
import { createGraphQLError, type GraphQLParams, isAsyncIterable } from 'graphql-yoga'
import { describeRequest } from '../telemetry/request-log.ts'
import { createContext, type DomainDeps, identifiedCaller, type RequestContext } from './context.ts'
import { createDocuments, type ParsedDocument } from './documents.ts'
import { expand, limitExceeded, MAX_COMPLEXITY } from './limits/document-limits.ts'
import { BYTES_PER_FIELD, eachWithinLimits, withinLimits } from './limits/response-limits.ts'
import { type MaskError, masked, refused } from './mask-error.ts'

export type Result = ExecutionResult | AsyncIterable<ExecutionResult>

/** Executes the operation of a request. Errors are part of the result. */
export type Execute = (params: GraphQLParams, context: RequestContext) => Promise<Result>

/**
 * Executes operations within the limits: of documents before they are parsed and validated, of operations before they
 * execute, and of their responses.
 *
 * Each operation with an API key counts as a request, before it is validated. A mutation that only publishes counts its
 * events instead. It counts as a request only if it published nothing, for example because it was invalid.
 */
export function createExecute(
  deps: DomainDeps,
  schemaOf: (document: string) => Promise<GraphQLSchema>,
  maskError: MaskError,
): Execute {
  const documents = createDocuments()

  async function run(
    { query = '', operationName, variables }: GraphQLParams,
    of: RequestContext,
  ): Promise<Result> {
    const { inFlight, quota, request } = of
    const document = documents.parse(await schemaOf(query), query)
    const operation = getOperationAST(document.node, operationName)
    if (operation) {
      describeRequest({ operation: { type: operation.operation, name: operation.name?.value } })
    }
    if (!operation || !publishesOnly(operation)) {
      quota.spend(identifiedCaller(of), 'requests', 1)
    }
    requireOperation(operation, request)
    const errors = documents.validate(document)
    if (errors.length > 0) return { errors }
    const cost = costOf(document, operation, variables)
    const args = {
      schema: document.schema,
      document: document.node,
      operationName,
      variableValues: variables,
      contextValue: createContext(deps, of),
    }
    const valid = validateExecutionArgs(args)
    if (!('schema' in valid)) {
      return { errors: valid.map((error) => refused(error, 'BAD_USER_INPUT', false)) }
    }
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
      requireStreams(request.headers.get('accept'))
      const events = await subscribe(args)
      return isAsyncIterable(events)
        ? eachWithinLimits(events, inFlight, maskError)
        : masked(events, maskError)
    }
    const responseBytes = cost * BYTES_PER_FIELD
    await inFlight?.takeTurn(responseBytes)
    inFlight?.resize('response', responseBytes)
    const result = masked(await executeRootSelectionSet(valid), maskError)
    const extensions = { cost: { requested: cost, maximum: MAX_COMPLEXITY } }
    return withinLimits({ ...result, extensions }).result
  }

  return async (params, context) => {
    const result = await run(params, context).catch((error) => ({ errors: [maskError(error)] }))
    const { quota } = context
    if (!quota.isUsed) quota.spend(identifiedCaller(context), 'requests', 1)
    return result
  }
}

/** Rejects an operation whose response could have too many fields. */
function costOf(document: ParsedDocument, operation: OperationDefinitionNode, variables = {}) {
  const cost =
    document.costs.get(operation) ?? expand(document.schema, document.node, operation, variables)
  if (cost <= MAX_COMPLEXITY) return cost
  throw limitExceeded('fields in its largest response', Math.ceil(cost))
}

const PUBLISHING: ReadonlySet<string> = new Set(['publishEvent', 'publishEvents'])

/** Whether an operation is a mutation that only publishes events. */
function publishesOnly({ operation, selectionSet }: OperationDefinitionNode): boolean {
  const publishes = (selection: SelectionNode) =>
    selection.kind === Kind.FIELD && PUBLISHING.has(selection.name.value)
  return operation === OperationTypeNode.MUTATION && selectionSet.selections.every(publishes)
}

/** Rejects a mutation by GET: a link of another page must change nothing. */
function requireOperation(
  operation: OperationDefinitionNode | null | undefined,
  { method }: Request,
): asserts operation is OperationDefinitionNode {
  if (!operation) {
    throw createGraphQLError('Could not determine what operation to execute.', {
      extensions: { code: 'OPERATION_RESOLUTION_FAILURE', http: { status: 400 } },
    })
  }
  if (method !== 'GET' || operation.operation !== OperationTypeNode.MUTATION) return
  throw createGraphQLError('Can only perform a mutation operation from a POST request.', {
    extensions: { code: 'BAD_REQUEST', http: { status: 405, headers: { allow: 'POST' } } },
  })
}

/** Rejects a subscription of a client that does not accept event streams. Its stream would never be closed. */
function requireStreams(accept: string | null): void {
  const types = (accept ?? '*/*').toLowerCase().replaceAll(/\s/g, '').split(',')
  if (types.some((type) => STREAMS.test(type))) return
  throw createGraphQLError(
    'A subscription returns an event stream: send `Accept: text/event-stream`, for example with graphql-sse. It has no multipart form and no WebSockets; docs/guides/frontends.md has links for Apollo Client, urql and Relay.',
    { extensions: { code: 'NOT_ACCEPTABLE', http: { status: 406 } } },
  )
}

const STREAMS = /^(text|\*)\/(event-stream|\*)(;charset=utf-8|;(?!charset=)[^;]*)*$/
