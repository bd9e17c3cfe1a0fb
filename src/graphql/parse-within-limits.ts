import {
  type DocumentNode,
  GraphQLError,
  Lexer,
  type ParseOptions,
  parse,
  Source,
  TokenKind,
} from 'graphql'
import { createGraphQLError } from 'graphql-yoga'

/** The words and signs of a document; a page of the console has a few hundred. */
export const MAX_TOKENS = 10_000

/** How deep brackets may be nested. The parser calls itself for each, so that some thousands would end the process. */
export const MAX_NESTING = 100

/** Parses a document, once it is known to be neither too long nor nested too deep. */
export function parseWithinLimits(text: string | Source, options?: ParseOptions): DocumentNode {
  const source = typeof text === 'string' ? new Source(text) : text
  try {
    checkTokens(new Lexer(source))
    return parse(source, { ...options, maxTokens: MAX_TOKENS })
  } catch (error) {
    if (error instanceof GraphQLError) throw withoutContent(error)
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
      throw tooMuch(`The document has more than ${MAX_TOKENS.toLocaleString('en')} tokens.`)
    }
    if (OPENING.has(token.kind)) nesting++
    else if (CLOSING.has(token.kind)) nesting--
    if (nesting > MAX_NESTING) {
      throw tooMuch(
        `The document nests brackets more than ${MAX_NESTING} deep. Give deep values in variables.`,
      )
    }
  }
}

function tooMuch(message: string): GraphQLError {
  return new GraphQLError(message)
}

/** The same error with its place, but without what the caller wrote there: it may be a secret pasted by mistake. */
function withoutContent({ message, source, positions }: GraphQLError): Error {
  const told = message.replace(/(Name|Int|Float|String|BlockString|Directive) ".*"/s, '$1')
  return createGraphQLError(told, {
    source,
    positions,
    extensions: { code: 'GRAPHQL_PARSE_FAILED', http: { spec: true, status: 400 } },
  })
}
