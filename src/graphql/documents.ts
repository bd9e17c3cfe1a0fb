import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  Source,
  TokenKind,
  validate,
} from 'graphql'
import { LruMap, MAX_AGE_MS } from '../lib/lru-map.ts'
import { expand, requireAtMost } from './limits/document-limits.ts'
import { refused } from './mask-error.ts'

/** A parsed document within the limits. */
export interface ParsedDocument {
  readonly schema: GraphQLSchema
  readonly text: string
  readonly node: DocumentNode
  /** The cost of each operation; null if it depends on the variables. */
  readonly costs: ReadonlyMap<OperationDefinitionNode, number | null>
}

/** Longer documents are not cached, so that no client can fill the memory. */
const MAX_CACHED_LENGTH = 8 * 1024

/** Parses and validates documents. Those that are valid are cached. */
export function createDocuments() {
  const valid = new LruMap<string, ParsedDocument>({ maxEntries: 500, maxAgeMs: MAX_AGE_MS })
  return {
    /** Throws the error for a document that is over a limit, or has no such syntax. */
    parse(schema: GraphQLSchema, text: string): ParsedDocument {
      const known = valid.get(text)
      return known?.schema === schema ? known : parseWithinLimits(schema, text)
    },
    /** The errors of a document that does not fit its schema. */
    validate(document: ParsedDocument): readonly GraphQLError[] {
      const { schema, text, node } = document
      if (valid.get(text) === document) return []
      const errors = validate(schema, node)
      if (errors.length === 0 && text.length <= MAX_CACHED_LENGTH) valid.set(text, document)
      return errors.map((error) => refused(error, 'GRAPHQL_VALIDATION_FAILED'))
    },
  }
}

/** Checks the length and nesting of a document, parses it, and checks its other limits, all before it is validated. */
function parseWithinLimits(schema: GraphQLSchema, text: string): ParsedDocument {
  const node = parseText(text)
  const costs = new Map<OperationDefinitionNode, number | null>()
  const counted = { fields: 0, spreads: 0, arguments: 0 }
  for (const definition of node.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    counted.arguments = 0
    const cost = expand(schema, node, definition, {}, counted)
    costs.set(definition, counted.arguments > 0 ? null : cost)
  }
  return { schema, text, node, costs }
}

function parseText(text: string): DocumentNode {
  try {
    checkTokens(new Lexer(new Source(text)))
    return parse(text)
  } catch (error) {
    throw refused(error as GraphQLError, 'GRAPHQL_PARSE_FAILED')
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
