import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  Lexer,
  OperationTypeNode,
  type ParseOptions,
  parse,
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
import { LARGE_BYTES } from '../../http/in-flight.ts'
import { describeRequest } from '../../telemetry/request-log.ts'
import { identifiedCaller, type RequestContext } from '../context.ts'
import { redactValue } from '../redact-values.ts'
import { expand, READ_SCHEMA } from './expand.ts'
import { MAX_COMPLEXITY } from './field-complexity.ts'
import {
  eachWithinLimits,
  limitExceeded,
  MAX_RESPONSE_BYTES,
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
        const document = isDocument(result) ? result : null
        if (document) describeOperation(document, params.operationName)
        if (document && publishesOnly(document, params.operationName)) return
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
        return errors.some(isAbortion) ? [tooManyComparisons()] : errors.map(redact)
      })
    },
    async onExecute({ args }) {
      const { inFlight } = args.contextValue as LimitsContext
      const { cost, rootFields } = expansionOf(args)
      const responseBytes = cost * BYTES_PER_FIELD
      const readsSchema = rootFields.some((name) => READ_SCHEMA.has(name))
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
  if (!operation || !schema.getRootType(operation.operation)) return { cost: 0, rootFields: [] }
  const expansion = expand(schema, document, operation, variableValues ?? {})
  const { cost } = expansion
  if (cost > MAX_COMPLEXITY) {
    const remedy = 'Request smaller pages (`first`), or split the operation.'
    const limit = { max: MAX_COMPLEXITY, remedy }
    throw limitExceeded('fields in its largest response', limit, Math.ceil(cost))
  }
  return expansion
}

function describeOperation(document: DocumentNode, operationName: string | undefined): void {
  const operation = getOperationAST(document, operationName)
  if (!operation) return
  describeRequest({ operation: { type: operation.operation, name: operation.name?.value } })
}

function isDocument(result: unknown): result is DocumentNode {
  return typeof result === 'object' && result !== null && 'definitions' in result
}

const PUBLISHING: ReadonlySet<string> = new Set(['publishEvent', 'publishEvents'])

/** Whether an operation is a mutation that only publishes events. */
function publishesOnly(document: DocumentNode, operationName: string | undefined): boolean {
  const operation = getOperationAST(document, operationName)
  if (operation?.operation !== OperationTypeNode.MUTATION) return false
  return operation.selectionSet.selections.every(
    (selection) => selection.kind === Kind.FIELD && PUBLISHING.has(selection.name.value),
  )
}

/** The limit in the rule `OverlappingFieldsCanBeMerged` of `graphql`, which aborts validation without a reason. */
const MAX_COMPARISONS = 500_000
const isAbortion = ({ message }: GraphQLError) => message === 'Validation aborted.'

function tooManyComparisons(): GraphQLError {
  return limitExceeded('comparisons of equal fields', {
    max: MAX_COMPARISONS,
    remedy: 'Select each field once, and use fewer fragments.',
  })
}

/** Redacts values of the document: they may be credentials, and clients log errors. */
function redact(error: GraphQLError): GraphQLError {
  const message = redactValue(error.message)
  if (message === error.message) return error
  const { nodes, extensions } = error
  return createGraphQLError(message, { ...(nodes && { nodes }), extensions })
}

/** The maximum number of tokens in a document. A page of the console has a few hundred. */
const MAX_TOKENS = 10_000

/** `graphql` suggests similar names for unknown ones, which is slow for long names. */
const MAX_NAME_LENGTH = 256

/** The maximum nesting of brackets. The parser is recursive: some thousands would overflow the stack. */
const MAX_NESTING = 100

/** Checks the length and nesting of a document, parses it, and checks its other limits. */
function parseWithinLimits(
  schema: GraphQLSchema,
  text: string | Source,
  options?: ParseOptions,
): DocumentNode {
  const source = typeof text === 'string' ? new Source(text) : text
  try {
    checkTokens(new Lexer(source))
    const document = parse(source, { ...options, maxTokens: MAX_TOKENS })
    const counted = { fields: 0, spreads: 0 }
    for (const definition of document.definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue
      expand(schema, document, definition, {}, counted)
    }
    return document
  } catch (error) {
    if (error instanceof GraphQLError && !error.extensions['code']) throw redactToken(error)
    throw error
  }
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
  for (let count = 0; ; count++) {
    const token = lexer.advance()
    if (token.kind === TokenKind.EOF) return
    if (count >= MAX_TOKENS) {
      const remedy = 'Pass long values in variables, or split the document.'
      throw limitExceeded('tokens', { max: MAX_TOKENS, remedy })
    }
    if (token.kind === TokenKind.NAME && token.end - token.start > MAX_NAME_LENGTH) {
      const remedy = 'Names in the schema are shorter.'
      throw limitExceeded('characters in one name', { max: MAX_NAME_LENGTH, remedy })
    }
    if (OPENING.has(token.kind)) nesting++
    else if (CLOSING.has(token.kind)) nesting--
    if (nesting > MAX_NESTING) {
      const remedy = 'Pass deeply nested values in variables.'
      throw limitExceeded('levels of nested brackets', { max: MAX_NESTING, remedy })
    }
  }
}

/** Removes the token that the error quotes, which may be a secret pasted by mistake. Keeps the position. */
function redactToken({ message, source, positions }: GraphQLError): Error {
  const redacted = message.replace(/(Name|Int|Float|String|BlockString) ".*"/s, '$1')
  return createGraphQLError(redacted, {
    source,
    positions,
    extensions: { code: 'GRAPHQL_PARSE_FAILED', http: { spec: true, status: 400 } },
  })
}
