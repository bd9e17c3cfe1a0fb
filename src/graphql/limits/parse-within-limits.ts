import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  type ParseOptions,
  parse,
  Source,
  TokenKind,
  visit,
} from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import { expand } from './expand.ts'
import { limitExceeded } from './limit-exceeded.ts'

/** The maximum number of tokens in a document. A page of the console has a few hundred. */
export const MAX_TOKENS = 10_000

/** The same without an API key. Only the schema can be read then, and the introspection query has 300 tokens. */
export const MAX_TOKENS_WITHOUT_KEY = 1_000

/** `graphql` suggests similar names for unknown ones, which is slow for long names. */
const MAX_NAME_LENGTH = 256

/** The maximum nesting of brackets. The parser is recursive: some thousands would overflow the stack. */
export const MAX_NESTING = 100

/** Checks the length and nesting of a document, parses it, and checks its other limits. */
export function parseWithinLimits(
  schema: GraphQLSchema,
  text: string | Source,
  { isKeyless, ...options }: ParseOptions & { isKeyless: boolean },
): DocumentNode {
  const source = typeof text === 'string' ? new Source(text) : text
  try {
    checkTokens(new Lexer(source), isKeyless)
    const document = parse(source, { ...options, maxTokens: MAX_TOKENS })
    checkCounts(document)
    for (const definition of document.definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION) expand(schema, document, definition)
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

function checkTokens(lexer: Lexer, isKeyless: boolean): void {
  const max = isKeyless ? MAX_TOKENS_WITHOUT_KEY : MAX_TOKENS
  let nesting = 0
  for (let count = 0; ; count++) {
    const token = lexer.advance()
    if (token.kind === TokenKind.EOF) return
    if (count >= max) {
      const remedy = isKeyless
        ? 'Send an API key for a higher limit: `Authorization: Bearer <API key>`.'
        : 'Pass long values in variables, or split the document.'
      throw limitExceeded('tokens', { max, remedy })
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

/** Limits of the whole document as written. A page of the console has about a hundred fields. */
const WRITTEN = { aliases: 100, directives: 100, operations: 100, fields: 1_000 }

function checkCounts(document: DocumentNode): void {
  const found = { aliases: 0, directives: 0, operations: 0, fields: 0 }
  visit(document, {
    Field({ alias }) {
      found.fields++
      if (alias) found.aliases++
    },
    Directive() {
      found.directives++
    },
    OperationDefinition() {
      found.operations++
    },
    // Skipped: they contain no fields and may be long.
    Argument: () => false,
    VariableDefinition: () => false,
  })
  for (const limit of Object.keys(WRITTEN) as (keyof typeof WRITTEN)[]) {
    const max = WRITTEN[limit]
    if (found[limit] <= max) continue
    const remedy = 'Split it into several operations.'
    throw limitExceeded(limit, { max, remedy }, found[limit])
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
