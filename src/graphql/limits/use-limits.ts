import { setImmediate } from 'node:timers/promises'
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  OperationTypeNode,
  type ParseOptions,
  parse,
  type SelectionNode,
  Source,
  TokenKind,
  type validate,
} from 'graphql'
import {
  createGraphQLError,
  isAsyncIterable,
  type Plugin,
  type YogaInitialContext,
} from 'graphql-yoga'
import type { InFlight } from '../../http/connection.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import { identifiedCaller, type RequestContext } from '../context.ts'
import { withCode } from '../mask-error.ts'
import {
  count,
  exceeded,
  expand,
  limitExceeded,
  MAX_COMPLEXITY,
  requireAtMost,
} from './document-limits.ts'

/** The maximum size of a response, or of one event of a subscription, as JSON. */
export const MAX_RESPONSE_BYTES = 10_000_000

/** An estimate: a response of the largest complexity is at most as large as responses may be. */
const BYTES_PER_FIELD = MAX_RESPONSE_BYTES / MAX_COMPLEXITY

type LimitsContext = YogaInitialContext & RequestContext

/**
 * Limits documents before they are parsed and validated, operations before they execute, and their responses.
 *
 * Each operation with an API key counts as a request, before it is validated. A mutation that only publishes counts its
 * events instead. It counts as a request only if it published nothing, for example because it was invalid.
 */
export function useLimits(): Plugin<YogaInitialContext, RequestContext> {
  return {
    onParse({ context, setParseFn }) {
      const { quota, params, schema } = context as LimitsContext
      setParseFn((source, options) => parseWithinLimits(schema, source, options))
      return ({ result, replaceParseResult }) => {
        const operation = isDocument(result) ? getOperationAST(result, params.operationName) : null
        if (operation) {
          const { operation: type, name } = operation
          describeRequest({ operation: { type, name: name?.value } })
          if (publishesOnly(operation)) return
        }
        try {
          quota.spend(identifiedCaller(context as LimitsContext), 'requests', 1)
        } catch (error) {
          replaceParseResult(error as Error)
        }
      }
    },
    onValidate({ validateFn, setValidationFn }) {
      setValidationFn((...input: Parameters<typeof validate>) => {
        const errors: readonly GraphQLError[] = validateFn(...input)
        return errors.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED'))
      })
    },
    async onExecute({ args }) {
      const { inFlight } = args.contextValue as LimitsContext
      const cost = costOf(args)
      const responseBytes = cost * BYTES_PER_FIELD
      await inFlight?.takeTurn(responseBytes)
      inFlight?.resize('response', responseBytes)
      return {
        onExecuteDone({ result, setResult }) {
          if (isAsyncIterable(result)) return
          const extensions = { cost: { requested: cost, maximum: MAX_COMPLEXITY } }
          setResult(withinLimits({ ...result, extensions }).result)
        },
      }
    },
    onSubscribe({ args }) {
      costOf(args)
      const { inFlight } = args.contextValue as { readonly inFlight?: InFlight }
      return {
        onSubscribeResult({ result, setResult }) {
          if (isAsyncIterable(result)) setResult(eachWithinLimits(result, inFlight))
        },
      }
    },
    onExecutionResult({ context }) {
      const { identity, quota } = context as RequestContext
      if (!(identity instanceof Error) && !quota.isUsed) quota.spend(identity, 'requests', 1)
    },
  }
}

/** Rejects an operation whose response could have too many fields. The executor reports that there is none. */
function costOf({ schema, document, operationName, variableValues }: ExecutionArgs) {
  const operation = getOperationAST(document, operationName)
  if (!operation || !schema.getRootType(operation.operation)) return 0
  const cost = expand(schema, document, operation, variableValues ?? {})
  if (cost <= MAX_COMPLEXITY) return cost
  throw limitExceeded('fields in its largest response', Math.ceil(cost))
}

function isDocument(result: unknown): result is DocumentNode {
  return typeof result === 'object' && result !== null && 'definitions' in result
}

const PUBLISHING: ReadonlySet<string> = new Set(['publishEvent', 'publishEvents'])

/** Whether an operation is a mutation that only publishes events. */
function publishesOnly({ operation, selectionSet }: OperationDefinitionNode): boolean {
  const publishes = (selection: SelectionNode) =>
    selection.kind === Kind.FIELD && PUBLISHING.has(selection.name.value)
  return operation === OperationTypeNode.MUTATION && selectionSet.selections.every(publishes)
}

/** Checks the length and nesting of a document, parses it, and checks its other limits. */
function parseWithinLimits(
  schema: GraphQLSchema,
  text: string | Source,
  options?: ParseOptions,
): DocumentNode {
  checkTokens(new Lexer(typeof text === 'string' ? new Source(text) : text))
  const document = parse(text, options)
  const counted = { fields: 0, spreads: 0 }
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    expand(schema, document, definition, {}, counted)
  }
  return document
}

const OPENING: ReadonlySet<string> = new Set([
  TokenKind.BRACE_L,
  TokenKind.BRACKET_L,
  TokenKind.PAREN_L,
])
const CLOSING: ReadonlySet<string> = new Set([
  TokenKind.BRACE_R,
  TokenKind.BRACKET_R,
  TokenKind.PAREN_R,
])

function checkTokens(lexer: Lexer): void {
  let nesting = 0
  for (let count = 1; ; count++) {
    const { kind, start, end } = lexer.advance()
    if (kind === TokenKind.EOF) return
    requireAtMost('tokens', count)
    if (kind === TokenKind.NAME) requireAtMost('characters in one name', end - start)
    if (OPENING.has(kind)) nesting++
    else if (CLOSING.has(kind)) nesting--
    requireAtMost('levels of nested brackets', nesting)
  }
}

/** A result that yoga sends as `stringify` returns it. */
interface Serialized extends ExecutionResult {
  readonly stringify?: (result: ExecutionResult) => string
}

/** Serializes a result. Returns an error in its place if it is too large. */
export function withinLimits(result: Serialized): { result: Serialized; bytes: number } {
  const { stringify = JSON.stringify } = result
  const text = stringify(result)
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_RESPONSE_BYTES) {
    const message = `The response is larger than ${count(MAX_RESPONSE_BYTES)} bytes. Request smaller pages (\`first\`) or fewer large fields.`
    const details = { limit: 'bytes in the response', max: MAX_RESPONSE_BYTES }
    return { result: { errors: [exceeded(message, details)] }, bytes }
  }
  // Yoga still removes what errors have for it alone.
  return { result: result.errors ? result : { ...result, stringify: () => text }, bytes }
}

/**
 * The events of a subscription. The last two count as in flight, because yoga asks for the next one while the client reads
 * the one before. The stream ends after the error for an event that is too large, or for which there is no room.
 */
export function eachWithinLimits(
  events: AsyncIterable<ExecutionResult>,
  inFlight: InFlight | undefined,
): AsyncIterableIterator<Serialized> {
  const iterator = events[Symbol.asyncIterator]()
  let lastBytes = 0
  let ended = false

  async function end(): Promise<IteratorResult<Serialized>> {
    ended = true
    await iterator.return?.()
    return { done: true, value: undefined }
  }

  return {
    async next() {
      // Others are served between two events.
      await setImmediate()
      if (ended) return await end()
      const event = await iterator.next()
      if (event.done) return event
      const { result, bytes } = withinLimits(event.value)
      ended = bytes > MAX_RESPONSE_BYTES
      try {
        inFlight?.resize('response', lastBytes + bytes)
      } catch {
        ended = true
        return { done: false, value: { errors: [unreadEvents()] } }
      }
      lastBytes = bytes
      return { done: false, value: result }
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function unreadEvents() {
  return createGraphQLError(
    'The events that your clients have not read take too much memory. Subscribe again with fewer large fields, then query the events that it missed.',
    { extensions: { code: 'SLOW_CONSUMER' } },
  )
}
