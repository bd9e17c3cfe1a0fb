import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
  valueFromASTUntyped,
} from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import { describeRequest } from '../../telemetry/request-log.ts'
import { MAX_PAGE_SIZE, PAGE_SIZE } from '../arguments.ts'

/**
 * The maximum number of fields in a response. Nested pages of 100 exceed it. A page of 50 deliveries, each with its event,
 * its webhook and ten attempts, is about two thirds of it.
 */
export const MAX_COMPLEXITY = 100_000

/** The complexity of a field of up to 256 KiB. A response can read one for each row of a page, and few more. */
export const LARGE_TEXT = 800

/** The complexity of a field of up to 16 KiB. */
export const MEDIUM_TEXT = 25

const SPLIT = 'Split it into several operations.'

/** Of a document, and of one operation with its fragments expanded; fields and spreads count all of a document. */
const LIMITS = {
  /** A page of the console has a few hundred. */
  tokens: { max: 10_000, remedy: 'Pass long values in variables, or split the document.' },
  /** `graphql` suggests similar names for unknown ones, which is slow for long names. */
  'characters in one name': { max: 256, remedy: 'Names in the schema are shorter.' },
  /** The parser is recursive: some thousands would overflow the stack. */
  'levels of nested brackets': { max: 100, remedy: 'Pass deeply nested values in variables.' },
  'root fields': { max: 50, remedy: SPLIT },
  /** The standard introspection query has this depth. */
  'levels of nested fields': { max: 15, remedy: SPLIT },
  'fields with those of its fragments': { max: 1_000, remedy: SPLIT },
  'spreads of fragments': { max: 1_000, remedy: SPLIT },
  /** Of a field with subfields, in one place: validation compares them with each other. */
  'selections of one field': { max: 50, remedy: 'Select it once, with all subfields.' },
  /** With them, a short document could request the schema thousands of times. */
  'aliases in `__schema` and `__type`': {
    max: 0,
    remedy: 'Select each field by its own name, once.',
  },
  'fields in its largest response': {
    max: MAX_COMPLEXITY,
    remedy: 'Request smaller pages (`first`), or split the operation.',
  },
  /** 20 MB of the heap, until the response is made of them. */
  'selectable fields of all event types': {
    max: 50_000,
    remedy: 'Request the fields of fewer event types, by `nodes`.',
  },
} as const

type Limit = keyof typeof LIMITS

/** Throws the error for a document or an operation that has more of a thing than is allowed. */
export function requireAtMost(limit: Limit, found: number): void {
  if (found > LIMITS[limit].max) throw limitExceeded(limit)
}

/** `found` is omitted where counting stops at the limit. */
export function limitExceeded(limit: Limit, found?: number): GraphQLError {
  const { max, remedy } = LIMITS[limit]
  const message = `The document exceeds the limit of ${count(max)} ${limit}. ${remedy}`
  return exceeded(message, { limit, max, ...(found !== undefined && { found }) })
}

export function exceeded(message: string, details: object): GraphQLError {
  describeRequest({ limit: 'document' })
  return createGraphQLError(message, {
    extensions: { code: 'LIMIT_EXCEEDED', ...details, http: { spec: true, status: 400 } },
  })
}

export const count = (number: number) => number.toLocaleString('en')

/** A parsed document within the limits, and the cost of each operation; null if it depends on the variables. */
export interface ParsedDocument {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly costs: ReadonlyMap<OperationDefinitionNode, number | null>
}

/** Checks the length and nesting of a document, parses it, and checks its other limits. */
export function parseWithinLimits(schema: GraphQLSchema, text: string): ParsedDocument {
  checkTokens(new Lexer(new Source(text)))
  const document = parse(text)
  const costs = new Map<OperationDefinitionNode, number | null>()
  const counted = { fields: 0, spreads: 0, arguments: 0 }
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    counted.arguments = 0
    const cost = expand(schema, document, definition, {}, counted)
    costs.set(definition, counted.arguments > 0 ? null : cost)
  }
  return { schema, document, costs }
}

const OPENING: ReadonlySet<string> = new Set(['{', '[', '('])
const CLOSING: ReadonlySet<string> = new Set(['}', ']', ')'])

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

interface SelectedField {
  readonly node: FieldNode
  /** Undefined: the schema has no such type, which validation rejects later. */
  readonly parentType: GraphQLNamedType | undefined
}

/**
 * Walks through an operation as execution would: at the place of each spread is the fragment, and equal fields in one
 * place are one field with the subfields of all. Throws as soon as the operation exceeds a limit, so the work is bounded
 * even if fragments spread each other many times. Validation compares each field with all equal ones, and everything
 * below them, so the limits hold before it.
 *
 * Returns the largest number of fields in the response. It depends on the variables, which may have any value: the executor
 * checks them later. `counted`: the fields and spreads of the other operations of the document; and how many fields have
 * a cost that depends on their arguments.
 */
export function expand(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>> = {},
  counted = { fields: 0, spreads: 0, arguments: 0 },
): number {
  const fragments = fragmentsOf(document)
  const variables = { ...defaultsOf(operation), ...given }
  let aliases = 0

  function collect(
    { selections }: SelectionSetNode,
    parentType: GraphQLNamedType | undefined,
    seen: Set<string>,
    into: SelectedField[],
  ): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        requireAtMost('fields with those of its fragments', ++counted.fields)
        into.push({ node: selection, parentType })
        continue
      }
      requireAtMost('spreads of fragments', ++counted.spreads)
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
      // In one place, a fragment adds its fields once.
      if (!fragment || ('name' in fragment && seen.has(fragment.name.value))) continue
      if ('name' in fragment) seen.add(fragment.name.value)
      const { typeCondition, selectionSet } = fragment
      const type = typeCondition ? schema.getType(typeCondition.name.value) : parentType
      collect(selectionSet, type, seen, into)
    }
  }

  /** Returns the cost of all fields in one place. */
  function visit(selected: readonly SelectedField[], depth: number, isOfSchema: boolean): number {
    requireAtMost('levels of nested fields', depth)
    const isRoot = depth === 1
    if (isRoot) requireAtMost('root fields', selected.length)
    let cost = 0
    const nameOf = ({ node }: SelectedField) => (node.alias ?? node.name).value
    for (const [key, same] of Map.groupBy(selected, nameOf)) {
      const name = same[0]?.node.name.value ?? key
      const isIntrospection = isRoot && INTROSPECTION.includes(name)
      const reads = isOfSchema || isIntrospection
      if (reads && key !== name && !(isRoot && name === '__type')) {
        requireAtMost('aliases in `__schema` and `__type`', ++aliases)
      }
      if (isIntrospection) cost += INTROSPECTION_COST
      const seen = new Set<string>()
      const below: SelectedField[] = []
      let [places, own, rows] = [0, 0, 0]
      for (const { node, parentType } of same) {
        const field = fieldOf(parentType, node)
        const found = fieldCost(field, parentType, () => argumentsOf(node))
        own = Math.max(own, found.field)
        rows = Math.max(rows, found.multiplier)
        if (!node.selectionSet) continue
        requireAtMost('selections of one field', ++places)
        collect(node.selectionSet, getNamedType(field?.type), seen, below)
      }
      cost += own
      if (below.length > 0) cost += rows * visit(below, depth + 1, reads)
    }
    return cost
  }

  function argumentsOf({ arguments: args = [] }: FieldNode): Record<string, unknown> {
    counted.arguments++
    return Object.fromEntries(
      args.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
    )
  }

  const root: SelectedField[] = []
  const rootType = schema.getRootType(operation.operation) ?? undefined
  collect(operation.selectionSet, rootType, new Set(), root)
  return visit(root, 1, false)
}

const INTROSPECTION: readonly string[] = ['__schema', '__type']

/** Of `__schema`, and of each `__type`: tools that detect server features request four. */
const INTROSPECTION_COST = MAX_COMPLEXITY / 5

function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

function defaultsOf({ variableDefinitions = [] }: OperationDefinitionNode) {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    ),
  )
}

function fieldOf(
  type: GraphQLNamedType | undefined,
  { name }: FieldNode,
): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name.value] : undefined
}

/** The assumed length of a list that is neither a page nor requested by ids. */
const LIST_SIZE = 10

/** What a field costs itself, and how many times its subfields cost. */
export interface FieldCost {
  readonly field: number
  readonly multiplier: number
}

/** Declared with the option `complexity` of a field. A function gets the arguments as sent: nothing has checked them. */
export type Complexity<Args> =
  | Declared
  | ((args: { readonly [Name in keyof Args]?: unknown }) => Declared)
type Declared = number | Partial<FieldCost>

/**
 * A field costs 1, and its subfields cost once per row. Large texts declare their own complexity. `argsOf` is called only
 * if the arguments matter.
 */
export function fieldCost(
  field: GraphQLField<unknown, unknown> | undefined,
  parentType: GraphQLNamedType | undefined,
  argsOf: () => Record<string, unknown>,
): FieldCost {
  if (!field) return { field: 1, multiplier: 1 }
  const { type, extensions } = field
  const option = extensions['complexity'] as Complexity<Record<string, unknown>> | undefined
  const declared = typeof option === 'function' ? option(argsOf()) : option
  const usual = { field: 1, multiplier: rowsOf(type, parentType, argsOf) }
  return typeof declared === 'number' ? { ...usual, field: declared } : { ...usual, ...declared }
}

function rowsOf(
  type: GraphQLOutputType,
  parentType: GraphQLNamedType | undefined,
  argsOf: () => Record<string, unknown>,
): number {
  if (isConnection(getNamedType(type))) {
    const { first, last } = argsOf()
    const size = first ?? last ?? PAGE_SIZE
    // Any other size is rejected before a row is read.
    return typeof size === 'number' && size > 0 && size <= MAX_PAGE_SIZE ? size : 0
  }
  // The lists in a connection have the length of its page, which already multiplies them.
  if (isConnection(parentType) || !isListType(getNullableType(type))) return 1
  const { ids } = argsOf()
  return Array.isArray(ids) ? ids.length : LIST_SIZE
}

function isConnection(type: GraphQLNamedType | undefined): boolean {
  return isObjectType(type) && 'pageInfo' in type.getFields()
}
