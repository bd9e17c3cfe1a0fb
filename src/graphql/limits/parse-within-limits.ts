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
import { checkDocument } from './check-document.ts'
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
  text: string | Source,
  { authenticated, ...options }: ParseOptions & { authenticated: boolean },
): DocumentNode {
  const source = typeof text === 'string' ? new Source(text) : text
  try {
    checkTokens(new Lexer(source), authenticated)
    const document = parse(source, { ...options, maxTokens: MAX_TOKENS })
    checkDocument(document)
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

function checkTokens(lexer: Lexer, authenticated: boolean): void {
  const max = authenticated ? MAX_TOKENS : MAX_TOKENS_WITHOUT_KEY
  let nesting = 0
  for (let count = 0; ; count++) {
    const token = lexer.advance()
    if (token.kind === TokenKind.EOF) return
    if (count >= max) {
      const remedy = authenticated
        ? 'Pass long values in variables, or split the document.'
        : 'Send an API key for a higher limit: `Authorization: Bearer <API key>`.'
      throw limitExceeded({ limit: 'tokens', max, remedy })
    }
    if (token.kind === TokenKind.NAME && token.end - token.start > MAX_NAME_LENGTH) {
      const remedy = 'Names in the schema are shorter.'
      throw limitExceeded({ limit: 'characters in one name', max: MAX_NAME_LENGTH, remedy })
    }
    if (OPENING.has(token.kind)) nesting++
    else if (CLOSING.has(token.kind)) nesting--
    if (nesting > MAX_NESTING) {
      const remedy = 'Pass deeply nested values in variables.'
      throw limitExceeded({ limit: 'levels of nested brackets', max: MAX_NESTING, remedy })
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
