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

/** The words and signs of a document; a page of the console has a few hundred. */
export const MAX_TOKENS = 10_000

/** The same, without a key: all that can be asked for is the schema, and that takes 300. */
export const MAX_TOKENS_WITHOUT_KEY = 1_000

/** Whether another name was meant takes long to find out for long ones. */
const MAX_NAME_LENGTH = 256

/** How deep brackets may be nested. The parser calls itself for each, so that some thousands would end the process. */
export const MAX_NESTING = 100

/** Parses a document, once it is known to be neither too long nor nested too deep; answers one that is not too much. */
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
    if (error instanceof GraphQLError && !error.extensions['code']) throw withoutContent(error)
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
  const most = authenticated ? MAX_TOKENS : MAX_TOKENS_WITHOUT_KEY
  let nesting = 0
  for (let count = 0; ; count++) {
    const token = lexer.advance()
    if (token.kind === TokenKind.EOF) return
    if (count >= most) {
      const remedy = authenticated
        ? 'Give long values in variables, and ask in several operations.'
        : 'Send an API key to ask for more: `Authorization: Bearer <API key>`.'
      throw limitExceeded({ limit: 'tokens', most, remedy })
    }
    if (token.kind === TokenKind.NAME && token.end - token.start > MAX_NAME_LENGTH) {
      const remedy = 'Names in the schema are shorter.'
      throw limitExceeded({ limit: 'characters in one name', most: MAX_NAME_LENGTH, remedy })
    }
    if (OPENING.has(token.kind)) nesting++
    else if (CLOSING.has(token.kind)) nesting--
    if (nesting > MAX_NESTING) {
      const remedy = 'Give deep values in variables.'
      throw limitExceeded({ limit: 'levels of nested brackets', most: MAX_NESTING, remedy })
    }
  }
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
