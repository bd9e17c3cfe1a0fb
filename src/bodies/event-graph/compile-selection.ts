import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  type SelectionSetNode,
  Source,
  specifiedRules,
  validate,
  visit,
} from 'graphql'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { createSelectionSchema, namesOfTypes } from './event-schema.ts'
import type { SourceType } from './event-types.ts'
import { RESERVED_TYPES } from './names.ts'
import { newPlanning, planEvent, type SelectionPlan } from './plan-selection.ts'

/** What is wrong with a selection, and where in its text. Lines and columns count from 1. */
export interface SelectionIssue {
  readonly message: string
  readonly line: number
  readonly column: number
}

export interface CompiledSelection {
  /** Null with any issue. */
  readonly plan: SelectionPlan | null
  readonly issues: readonly SelectionIssue[]
}

export const MAX_SELECTION_BYTES = 16 * 1024
/** `graphql` suggests similar names for unknown ones, which is slow for long names. */
const MAX_NAME_LENGTH = 256

/**
 * An event has one type. Fields of two event types may have the same name and different types, such as `status`, which a
 * client with one type for the whole response could not express. The plan refuses two fields of one object under one name.
 */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)

const MAX_ISSUES = 20

/**
 * Compiles a selection set on the interface `Event`, such as `{ ... on OrderPaid { order { id } } }`, with the fragments
 * that it spreads. `catalogue`: the event types that are not archived, all of them, because their names depend on each
 * other. Only those that the selection names are described.
 */
export function compileSelection(
  text: string,
  catalogue: readonly SourceType[],
): CompiledSelection {
  const errors: GraphQLError[] = []
  try {
    const { document, set, fragments } = parseSelection(text)
    const names = namesOfTypes(catalogue)
    const conditions = conditionsOf(document)
    errors.push(...unknownTypes(conditions, [...names.values()]))
    if (errors.length > 0) return { plan: null, issues: errors.map(issueOf) }
    const schema = createSelectionSchema(catalogue, (typeName) =>
      conditions.some(({ name }) => isOfType(name, typeName)),
    )
    errors.push(...validate(schema, document, RULES, { maxErrors: MAX_ISSUES }))
    if (errors.length > 0) return { plan: null, issues: errors.map(issueOf) }
    const plan = planEvent(newPlanning({ schema, fragments, variables: {} }), [set])
    const typenames = plan.typenames && Object.fromEntries(names)
    return { plan: typenames ? { ...plan, typenames } : plan, issues: [] }
  } catch (error) {
    if (error instanceof GraphQLError) return { plan: null, issues: [issueOf(error)] }
    throw error
  }
}

function issueOf({ message, locations }: GraphQLError): SelectionIssue {
  const [{ line, column } = { line: 1, column: 1 }] = locations ?? []
  return { message, line, column }
}

/** A selection as a document, in which the selection set is that of the root field `event`. */
interface ParsedSelection {
  readonly document: DocumentNode
  readonly set: SelectionSetNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

function parseSelection(text: string): ParsedSelection {
  const source = new Source(text, 'selection')
  const fail = (message: string, position = 0): GraphQLError =>
    new GraphQLError(message, { source, positions: [position] })
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_SELECTION_BYTES) {
    throw fail(`must have at most 16 KiB (${MAX_SELECTION_BYTES} bytes), not ${bytes}.`)
  }
  const operations: OperationDefinitionNode[] = []
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const one of parseNested(source, fail).definitions) {
    if (one.kind === Kind.OPERATION_DEFINITION) operations.push(one)
    else if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one)
    else throw fail('A selection has no definitions of types. Remove them.', one.loc?.start)
  }
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
  const set = operation.selectionSet
  const event: FieldNode = {
    kind: Kind.FIELD,
    name: { kind: Kind.NAME, value: 'event' },
    selectionSet: set,
  }
  const onEvent: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    selectionSet: { kind: Kind.SELECTION_SET, selections: [event] },
  }
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [onEvent, ...fragments.values()],
  }
  return { document, set, fragments }
}

/** The parser is recursive. */
function parseNested(
  source: Source,
  fail: (message: string, position?: number) => GraphQLError,
): DocumentNode {
  let document: DocumentNode
  try {
    document = parse(source)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw fail('The selection is nested too deeply. What is below is in the JSON of a field.')
  }
  visit(document, {
    Name({ value, loc }) {
      if (value.length <= MAX_NAME_LENGTH) return
      throw fail(`No name has more than ${MAX_NAME_LENGTH} characters.`, loc?.start)
    },
  })
  return document
}

interface Condition {
  readonly name: string
  readonly error: (message: string) => GraphQLError
}

function conditionsOf(document: DocumentNode): Condition[] {
  const found: Condition[] = []
  visit(document, {
    NamedType(node) {
      const error = (message: string) => new GraphQLError(message, { nodes: node })
      found.push({ name: node.name.value, error })
    },
  })
  return found
}

/** The schema of a selection has no other event types, which `validate` could name. */
function unknownTypes(conditions: readonly Condition[], typeNames: readonly string[]) {
  return conditions
    .filter(
      ({ name }) =>
        !RESERVED_TYPES.has(name) && !typeNames.some((typeName) => isOfType(name, typeName)),
    )
    .map(({ name, error }) =>
      error(`No event type has the GraphQL type "${name}".${didYouMean(name, typeNames)}`),
    )
    .slice(0, MAX_ISSUES)
}

/** Whether a type is that of an event type, or nested in it. */
function isOfType(name: string, typeName: string): boolean {
  return name === typeName || name.startsWith(`${typeName}_`)
}
