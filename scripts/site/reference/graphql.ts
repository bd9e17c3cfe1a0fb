import { readdirSync, readFileSync } from 'node:fs'
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
  parse,
  print,
  separateOperations,
} from 'graphql'
import { anchor, code, fenced, page, prose, table } from './markdown.ts'

const file = (name: string) => new URL(`../../../${name}`, import.meta.url)

export const SCHEMA = buildSchema(readFileSync(file('schema.graphql'), 'utf8'))

const ROOTS = [SCHEMA.getQueryType(), SCHEMA.getMutationType(), SCHEMA.getSubscriptionType()]

export function graphqlPage(): string {
  const examples = readExamples()
  return page(
    '# GraphQL',
    'The whole of Posthorn over GraphQL: `POST /graphql` with the header `Authorization: Bearer <API key>`. `/schema.graphql` of a server has the schema as text, and [the types](graphql-types.md) are a page of their own.',
    fenced(
      `curl "$POSTHORN_URL/graphql" -H "Authorization: Bearer $POSTHORN_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"query":"{ webhooks(first: 10) { nodes { id url enabled } } }"}'`,
      'sh',
    ),
    'A mutation returns its success, or an error that a caller can correct. All other errors are in `errors` of the response, with a code in `extensions.code`: see [Errors](errors.md#graphql).',
    ...ROOTS.flatMap((type) => [
      `## ${type?.name}`,
      prose(type?.description ?? ''),
      ...Object.values(type?.getFields() ?? {}).map((field) => rootField(field, examples)),
    ]),
  )
}

function rootField(field: GraphQLField<unknown, unknown>, examples: Map<string, string>): string {
  const example = examples.get(field.name.toLowerCase())
  return page(
    `### ${field.name}`,
    prose(field.description ?? ''),
    `Returns ${linkedType(field)}.${scopesOf(field)}`,
    table(['argument', 'type', 'meaning'], field.args.map(row)),
    example === undefined ? '' : fenced(example, 'graphql'),
  ).trimEnd()
}

/** An operation for each field of a root type, by the name of the field in lower case. A test runs every one of them. */
function readExamples(): Map<string, string> {
  const folder = file('docs/examples/graphql/')
  const examples = readdirSync(folder).flatMap((name) => {
    const document = parse(readFileSync(new URL(name, folder), 'utf8'))
    return Object.entries(separateOperations(document))
  })
  return new Map(examples.map(([name, document]) => [name.toLowerCase(), print(document)]))
}

export function graphqlTypesPage(): string {
  const types = Object.values(SCHEMA.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .filter((type) => ROOTS.every((root) => root !== type))
  return page(
    '# GraphQL types',
    'The types of [the graph](graphql.md), by name. A type that ends with `Error` is an error of a mutation.',
    ...types
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map((type) =>
        page(`## ${type.name}`, prose(type.description ?? ''), bodyOf(type)).trimEnd(),
      ),
  )
}

function bodyOf(type: GraphQLNamedType): string {
  if (isEnumType(type)) {
    const rows = type
      .getValues()
      .map(({ name, description }) => [code(name), prose(description ?? '')])
    return table(['value', 'meaning'], rows)
  }
  if (isUnionType(type)) return `One of ${type.getTypes().map(String).map(linkedName).join(', ')}.`
  if (!isInputObjectType(type) && !isObjectType(type) && !isInterfaceType(type)) return 'A scalar.'
  const note = isInputObjectType(type) && type.isOneOf ? 'Exactly one of the fields is given.' : ''
  return page(
    note,
    table(['field', 'type', 'meaning'], Object.values(type.getFields()).map(row)),
  ).trimEnd()
}

type Described = GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>

function row(one: Described): string[] {
  const ast = one.astNode
  const standard =
    ast && 'defaultValue' in ast && ast.defaultValue
      ? ` Default: ${code(print(ast.defaultValue))}.`
      : ''
  const args = 'args' in one ? one.args.map((each) => code(`${each.name}: ${each.type}`)) : []
  const takes = args.length > 0 ? ` Takes ${args.join(', ')}.` : ''
  const text = `${prose(one.description ?? '')}${standard}${takes}${scopesOf(one)}`
  return [code(one.name), linkedType(one), text.trim()]
}

/** The scopes that an API key needs for a field, by the directive of the field. */
function scopesOf({ astNode }: Described): string {
  const directive = astNode?.directives?.find(({ name }) => name.value === 'requiresScopes')
  const [argument] = directive?.arguments ?? []
  if (!argument) return ''
  const lists: string[][] = JSON.parse(print(argument.value))
  return ` Needs the scope ${lists.map((all) => all.map(code).join(' and ')).join(' or ')}.`
}

const linkedType = ({ type }: Described) => linkedName(String(type))

/** A type, such as `[String!]!`, with a link to the section of its name. */
function linkedName(text: string): string {
  const type = SCHEMA.getType(/\w+/.exec(text)?.[0] ?? '')
  if (!type || isSpecifiedScalarType(type) || ROOTS.some((root) => root === type)) return code(text)
  return `[${code(text)}](graphql-types.md#${anchor(type.name)})`
}
