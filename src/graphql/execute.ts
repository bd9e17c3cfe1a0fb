import {
  type ExecutionResult,
  executeRootSelectionSet,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  subscribe,
  validate,
  validateExecutionArgs,
} from 'graphql'
import { type GraphQLParams, isAsyncIterable } from 'graphql-yoga'
import { LruMap, MAX_AGE_MS } from '../lib/lru-map.ts'
import { describeRequest } from '../telemetry/request-log.ts'
import { createContext, type DomainDeps, identifiedCaller, type RequestContext } from './context.ts'
import {
  expand,
  limitExceeded,
  MAX_COMPLEXITY,
  type ParsedDocument,
  parseWithinLimits,
} from './limits/document-limits.ts'
import { BYTES_PER_FIELD, eachWithinLimits, withinLimits } from './limits/response-limits.ts'
import { type MaskError, rejection, withCode } from './mask-error.ts'

export type Result = ExecutionResult | AsyncIterable<ExecutionResult>

/** Executes the operation of a request. Errors are part of the result. */
export type Execute = (params: GraphQLParams, context: RequestContext) => Promise<Result>

const BAD_DOCUMENT = { spec: true, status: 400 }

/** Longer documents are not cached, so that no client can fill the memory. */
const MAX_CACHED_LENGTH = 8 * 1024

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
  const valid = new LruMap<string, ParsedDocument>({ maxEntries: 500, maxAgeMs: MAX_AGE_MS })

  function parse(schema: GraphQLSchema, query: string): ParsedDocument {
    const known = valid.get(query)
    if (known?.schema === schema) return known
    try {
      return parseWithinLimits(schema, query)
    } catch (error) {
      throw withCode(error as GraphQLError, 'GRAPHQL_PARSE_FAILED', BAD_DOCUMENT)
    }
  }

  async function run(
    { query = '', operationName, variables }: GraphQLParams,
    of: RequestContext,
  ): Promise<Result> {
    const { inFlight, quota, request } = of
    const parsed = parse(await schemaOf(query), query)
    const { schema, document, costs } = parsed
    const operation = getOperationAST(document, operationName)
    if (!operation) {
      const message = 'Could not determine what operation to execute.'
      throw rejection('OPERATION_RESOLUTION_FAILURE', message, { status: 400 })
    }
    const { operation: type, name } = operation
    describeRequest({ operation: { type, name: name?.value } })
    if (!publishesOnly(operation)) quota.spend(identifiedCaller(of), 'requests', 1)
    if (type === OperationTypeNode.MUTATION && request.method === 'GET') {
      const message = 'Can only perform a mutation operation from a POST request.'
      throw rejection('BAD_REQUEST', message, { status: 405, headers: { allow: 'POST' } })
    }
    if (valid.get(query) !== parsed) {
      const errors = validate(schema, document)
      const failed = (error: GraphQLError) =>
        withCode(error, 'GRAPHQL_VALIDATION_FAILED', BAD_DOCUMENT)
      if (errors.length > 0) return { errors: errors.map(failed) }
      if (query.length <= MAX_CACHED_LENGTH) valid.set(query, parsed)
    }
    const cost = costs.get(operation) ?? expand(schema, document, operation, variables)
    if (cost > MAX_COMPLEXITY) {
      throw limitExceeded('fields in its largest response', Math.ceil(cost))
    }
    const args = {
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue: createContext(deps, of),
    }
    const checked = validateExecutionArgs(args)
    if (!('schema' in checked)) {
      return { errors: checked.map((error) => withCode(error, 'BAD_USER_INPUT', { status: 400 })) }
    }
    if (type === OperationTypeNode.SUBSCRIPTION) {
      requireStreams(request.headers.get('accept'))
      const events = await subscribe(args)
      return isAsyncIterable(events)
        ? eachWithinLimits(events, inFlight, maskError)
        : withinLimits(events, maskError).result
    }
    const responseBytes = cost * BYTES_PER_FIELD
    await inFlight?.takeTurn(responseBytes)
    inFlight?.resize('response', responseBytes)
    const result = await executeRootSelectionSet(checked)
    const extensions = { cost: { requested: cost, maximum: MAX_COMPLEXITY } }
    return withinLimits({ ...result, extensions }, maskError).result
  }

  return async (params, context) => {
    const result = await run(params, context).catch((error) => ({ errors: [maskError(error)] }))
    const { quota } = context
    if (!quota.isUsed) quota.spend(identifiedCaller(context), 'requests', 1)
    return result
  }
}

const PUBLISHING: ReadonlySet<string> = new Set(['publishEvent', 'publishEvents'])

/** Whether an operation is a mutation that only publishes events. */
function publishesOnly({ operation, selectionSet }: OperationDefinitionNode): boolean {
  const publishes = (selection: SelectionNode) =>
    selection.kind === Kind.FIELD && PUBLISHING.has(selection.name.value)
  return operation === OperationTypeNode.MUTATION && selectionSet.selections.every(publishes)
}

/** Rejects a subscription of a client that does not accept event streams. Its stream would never be closed. */
function requireStreams(accept: string | null): void {
  const types = (accept ?? '*/*').toLowerCase().replaceAll(/\s/g, '').split(',')
  if (types.some((type) => STREAMS.test(type))) return
  throw rejection(
    'NOT_ACCEPTABLE',
    'A subscription returns an event stream: send `Accept: text/event-stream`, for example with graphql-sse. It has no multipart form and no WebSockets; docs/guides/frontends.md has links for Apollo Client, urql and Relay.',
    { status: 406 },
  )
}

const STREAMS = /^(text|\*)\/(event-stream|\*)(;charset=utf-8|;(?!charset=)[^;]*)*$/
