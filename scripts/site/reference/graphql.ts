import {
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  print,
} from 'graphql'
import { examplesOf } from './graphql-examples.ts'
import { linkedType, SCHEMA, type TypeGroup, typesOf } from './graphql-schema.ts'
import { code, fenced, page, prose, table } from './markdown.ts'

const ROOTS = {
  queries: ['query', SCHEMA.getQueryType()],
  mutations: ['mutation', SCHEMA.getMutationType()],
  subscriptions: ['subscription', SCHEMA.getSubscriptionType()],
} as const

const TITLES: Readonly<Record<TypeGroup, string>> = {
  objects: 'object types, interfaces, unions and scalars',
  inputs: 'input types',
  enums: 'enums',
  errors: 'errors',
}

/** The pages of the graph by name, such as `graphql-queries`. */
export function graphqlPages(): Map<string, string> {
  const roots = Object.keys(ROOTS) as (keyof typeof ROOTS)[]
  const groups = Object.keys(TITLES) as TypeGroup[]
  return new Map([
    ['graphql', overview()],
    ...roots.map((name) => [`graphql-${name}`, rootPage(name)] as const),
    ...groups.map((group) => [`graphql-${group}`, typesPage(group)] as const),
  ])
}

function overview(): string {
  const roots = Object.keys(ROOTS).map((name) => `[${name}](graphql-${name}.md)`)
  const types = Object.entries(TITLES).map(([group, title]) => `[${title}](graphql-${group}.md)`)
  return page(
    '# GraphQL',
    'The whole of Posthorn over GraphQL: `POST /graphql` with the header `Authorization: Bearer <API key>`. `schema.graphql` in the repository, and `/schema.graphql` of a server, have the schema as text. A field says which scopes an API key needs for it; the scope `admin` has all of them.',
    fenced(
      `curl "$POSTHORN_URL/graphql" -H "Authorization: Bearer $POSTHORN_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"query":"{ webhooks(first: 10) { nodes { id url enabled } } }"}'`,
      'sh',
    ),
    `The fields: ${roots.join(', ')}. The types: ${types.join(', ')}.`,
    'Mutations answer what a caller can correct as data: each has a union of its success and of the [errors](graphql-errors.md) that it can return. All else is in `errors` of the response, with a code in `extensions.code`: [Errors](errors.md#graphql) has all of them.',
    'The events themselves have [a graph of their own](../guides/bodies.md).',
  )
}

function rootPage(name: keyof typeof ROOTS): string {
  const [kind, type] = ROOTS[name]
  const examples = examplesOf(kind)
  return page(
    `# GraphQL ${name}`,
    prose(type?.description ?? ''),
    ...Object.values(type?.getFields() ?? {}).map((field) => rootField(field, examples)),
  )
}

function rootField(field: GraphQLField<unknown, unknown>, examples: Map<string, string>): string {
  const example = examples.get(field.name)
  return page(
    `## ${field.name}`,
    prose(field.description ?? ''),
    `Answers ${linkedType(String(field.type))}.${needed(field)}`,
    table(['argument', 'type', 'default', ''], field.args.map(inputRow)),
    ...(example === undefined ? [] : [fenced(example, 'graphql')]),
  ).trimEnd()
}

function typesPage(group: TypeGroup): string {
  return page(
    `# GraphQL ${TITLES[group]}`,
    group === 'errors'
      ? 'What a mutation returns in place of its success, and the codes of errors in a response. [Errors](errors.md) has what to do about each code.'
      : '',
    ...typesOf(group).map(typeSection),
  )
}

function typeSection(type: GraphQLNamedType): string {
  return page(`## ${type.name}`, prose(type.description ?? ''), bodyOf(type)).trimEnd()
}

function bodyOf(type: GraphQLNamedType): string {
  if (isEnumType(type)) return valuesOf(type)
  if (isInputObjectType(type)) {
    const note = type.isOneOf ? 'Exactly one of the fields is given.\n\n' : ''
    return (
      note + table(['field', 'type', 'default', ''], Object.values(type.getFields()).map(inputRow))
    )
  }
  if (isUnionType(type)) {
    return `One of ${type
      .getTypes()
      .map(({ name }) => linkedType(name))
      .join(', ')}.`
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return 'A scalar.'
  const interfaces = type.getInterfaces().map(({ name }) => linkedType(name))
  const fields = Object.values(type.getFields())
  return page(
    interfaces.length > 0 ? `Implements ${interfaces.join(', ')}.` : '',
    table(['field', 'type', ''], fields.map(fieldRow)),
  ).trimEnd()
}

function fieldRow(field: GraphQLField<unknown, unknown>): string[] {
  const args = field.args.map((argument) => {
    const standard = argument.defaultValue === undefined ? '' : ` = ${printDefault(argument)}`
    return `${code(`${argument.name}: ${argument.type}${standard}`)}: ${prose(argument.description ?? '')}`
  })
  const text = [prose(field.description ?? ''), needed(field), ...args]
  return [code(field.name), linkedType(String(field.type)), text.filter(Boolean).join(' ')]
}

function inputRow(input: GraphQLArgument | GraphQLInputField): string[] {
  const standard = input.defaultValue === undefined ? '' : code(printDefault(input))
  return [
    code(input.name),
    linkedType(String(input.type)),
    standard,
    prose(input.description ?? ''),
  ]
}

function printDefault({ astNode }: GraphQLArgument | GraphQLInputField): string {
  return astNode?.defaultValue ? print(astNode.defaultValue) : ''
}

function valuesOf(type: GraphQLEnumType): string {
  const values = type.getValues()
  const rows = values.map(({ name, description }) => [code(name), prose(description ?? '')])
  return table(['value', ''], rows)
}

/** The scopes of the directive `@requiresScopes`: lists, one of which is enough. */
function needed({ astNode }: GraphQLField<unknown, unknown>): string {
  const directive = astNode?.directives?.find(({ name }) => name.value === 'requiresScopes')
  const [given] = directive?.arguments ?? []
  if (given?.value.kind !== Kind.LIST) return ''
  const lists = given.value.values.map((list) =>
    list.kind === Kind.LIST
      ? list.values
          .map((scope) => (scope.kind === Kind.STRING ? code(scope.value) : ''))
          .join(' and ')
      : '',
  )
  return ` Needs the scope ${lists.join(' or ')}.`
}
