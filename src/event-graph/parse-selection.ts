import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql'

export const MAX_SELECTION_BYTES = 16 * 1024
export const MAX_SELECTION_FIELDS = 1_000
export const MAX_SELECTION_LEVELS = 16
/** `graphql` suggests similar names for unknown ones, which is slow for long names. */
const MAX_NAME_LENGTH = 256

/** A selection as a document: `set` is on an event. */
export interface ParsedSelection {
  readonly document: DocumentNode
  readonly set: SelectionSetNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/**
 * Parses a selection set on an event, such as `{ ... on OrderPaid { order { id } } }`, with the fragments that it spreads.
 * Throws a `GraphQLError` with the position. In the document, the selection set is that of the root field `event`.
 */
export function parseSelection(text: string): ParsedSelection {
  const bytes = Buffer.byteLength(text)
  const source = new Source(text, 'selection')
  const fail = (message: string, position = 0): GraphQLError =>
    new GraphQLError(message, { source, positions: [position] })
  if (bytes > MAX_SELECTION_BYTES) {
    throw fail(`must have at most 16 KiB (${MAX_SELECTION_BYTES} bytes), not ${bytes}.`)
  }
  checkTokens(source, fail)
  const { definitions } = parse(source)
  const operations = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION)
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION)
  const other = definitions.find((one) => !isOperation(one) && !isFragment(one))
  if (other) throw fail('A selection has no definitions of types. Remove them.', other.loc?.start)
  const [operation, second] = operations
  if (!operation) {
    throw fail('A selection begins with a selection set on an event, such as { id type data }.')
  }
  if (second) throw fail('A selection has one selection set. Remove the others.', second.loc?.start)
  const isPlain =
    operation.operation === OperationTypeNode.QUERY &&
    !operation.variableDefinitions?.length &&
    !operation.directives?.length
  if (!isPlain) {
    throw fail(
      'A selection has no operation, no variables and no directives of its own. Begin with the brace: { … }.',
      operation.loc?.start,
    )
  }
  const byName = new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
  checkFields(operation.selectionSet, byName, fail)
  return {
    document: { kind: Kind.DOCUMENT, definitions: [onEvent(operation), ...fragments] },
    set: operation.selectionSet,
    fragments: byName,
  }
}

const isOperation = ({ kind }: DocumentNode['definitions'][number]) =>
  kind === Kind.OPERATION_DEFINITION
const isFragment = ({ kind }: DocumentNode['definitions'][number]) =>
  kind === Kind.FRAGMENT_DEFINITION

type Fail = (message: string, position?: number) => GraphQLError

/** The parser is recursive, and takes long for deep nesting. */
function checkTokens(source: Source, fail: Fail): void {
  const lexer = new Lexer(source)
  let level = 0
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (token.kind === TokenKind.NAME && token.end - token.start > MAX_NAME_LENGTH) {
      throw fail(`No name has more than ${MAX_NAME_LENGTH} characters.`, token.start)
    }
    if (OPENING.has(token.kind)) level++
    else if (CLOSING.has(token.kind)) level--
    if (level > 2 * MAX_SELECTION_LEVELS) throw fail(TOO_DEEP, token.start)
  }
}

const TOO_DEEP = `A selection has at most ${MAX_SELECTION_LEVELS} levels of fields. Select less deeply: what is below is in the JSON of a field.`
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

/** Counts the fields where fragments are spread: few fragments that spread each other make many fields. */
function checkFields(
  root: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  fail: Fail,
): void {
  let count = 0
  /** Of selection sets, so that fragments without fields are bounded, too. */
  let sets = 0
  visit(root, 1, [])

  function visit(set: SelectionSetNode, level: number, spread: readonly string[]): void {
    if (++sets > 4 * MAX_SELECTION_FIELDS) throw fail(TOO_MANY, set.loc?.start)
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        if (++count > MAX_SELECTION_FIELDS) throw fail(TOO_MANY, node.loc?.start)
        if (level > MAX_SELECTION_LEVELS) throw fail(TOO_DEEP, node.loc?.start)
        if (node.selectionSet) visit(node.selectionSet, level + 1, spread)
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        visit(node.selectionSet, level, spread)
      } else {
        const name = node.name.value
        const fragment = fragments.get(name)
        // Validation tells about a fragment that spreads itself.
        if (fragment && !spread.includes(name)) {
          visit(fragment.selectionSet, level, [...spread, name])
        }
      }
    }
  }
}

const TOO_MANY = `A selection has at most ${MAX_SELECTION_FIELDS} fields, counted where fragments are spread. Select fewer, or a whole object as data.`

function onEvent(operation: OperationDefinitionNode): OperationDefinitionNode {
  const event: FieldNode = {
    kind: Kind.FIELD,
    name: { kind: Kind.NAME, value: 'event' },
    selectionSet: operation.selectionSet,
  }
  const selectionSet: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [event] }
  return { kind: Kind.OPERATION_DEFINITION, operation: OperationTypeNode.QUERY, selectionSet }
}
