import {
  type DocumentNode,
  type ExecutionArgs,
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
import { isAsyncIterable, type Plugin, type YogaInitialContext } from 'graphql-yoga'
import type { InFlight } from '../../http/connection.ts'
import { LARGE_BYTES } from '../../http/in-flight.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import { identifiedCaller, type RequestContext } from '../context.ts'
import { withCode } from '../mask-error.ts'
import { expand } from './expand.ts'
import { MAX_COMPLEXITY } from './field-complexity.ts'
import {
  eachWithinLimits,
  limitExceeded,
  MAX_RESPONSE_BYTES,
  requireAtMost,
  withinLimits,
} from './limit-exceeded.ts'

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
        // Without a reason: the rule `OverlappingFieldsCanBeMerged` has reached its limit.
        const isAborted = errors.some(({ message }) => message === 'Validation aborted.')
        if (isAborted) return [limitExceeded('comparisons of equal fields')]
        return errors.map((error) => withCode(error, 'GRAPHQL_VALIDATION_FAILED'))
      })
    },
    async onExecute({ args }) {
      const { inFlight } = args.contextValue as LimitsContext
      const { cost, readsSchema } = expansionOf(args)
      const responseBytes = cost * BYTES_PER_FIELD
      await inFlight?.takeTurn(readsSchema ? LARGE_BYTES : responseBytes)
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
      expansionOf(args)
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
function expansionOf({ schema, document, operationName, variableValues }: ExecutionArgs) {
  const operation = getOperationAST(document, operationName)
  if (!operation || !schema.getRootType(operation.operation)) return { cost: 0, readsSchema: false }
  const expansion = expand(schema, document, operation, variableValues ?? {})
  const { cost } = expansion
  if (cost <= MAX_COMPLEXITY) return expansion
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
