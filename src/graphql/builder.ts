import SchemaBuilder from '@pothos/core'
import ErrorsPlugin from '@pothos/plugin-errors'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import ValidationPlugin from '@pothos/plugin-validation'
import { valueFromASTUntyped, visit } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import { requireScope, SCOPES, type Scope } from '../auth/access/scope.ts'
import type PrismaTypes from '../db/generated/pothos.ts'
import { getDatamodel } from '../db/generated/pothos.ts'
import type { DomainError, FieldIssue } from '../lib/errors.ts'

import { isKeptByDouble, MAX_JSON_NESTING } from '../lib/parse-json.ts'
import { parseRfc3339 } from '../lib/rfc3339-time.ts'
import {
  argumentError,
  cursorRule,
  idsRule,
  MAX_PAGE_SIZE,
  PAGE_SIZE,
  pageSizeRule,
} from './arguments.ts'
import type { Context } from './context.ts'
import type { NeededScopes } from './field-plugin.ts'
import './field-plugin.ts'
import { decodeNodeId, encodeNodeId } from './node-id.ts'
import { findsAnyNodes } from './portal-access.ts'

/**
 * Object types that are not Prisma models, by name, so that the file of one type can name another. Type files add
 * theirs: `declare module '../graphql/builder.ts' { interface Objects { … } }`.
 */
export interface Objects {
  ValidationIssue: FieldIssue
}

/** Input types that other files name. Type files add theirs, as for `Objects`. */
// biome-ignore lint/suspicious/noEmptyInterface: type files add to it
export interface Inputs {}

export interface SchemaTypes {
  Context: Context
  PrismaTypes: PrismaTypes
  Objects: Objects
  Interfaces: { UserError: DomainError }
  Inputs: Inputs
  Scalars: {
    DateTime: { Input: Date; Output: Date }
    ID: { Input: string; Output: string }
    JSON: { Input: unknown; Output: unknown }
    Scope: { Input: string; Output: string }
  }
  AuthScopes: { scope: NeededScopes }
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  DefaultNodeNullability: false
}

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

export const builder = new SchemaBuilder<SchemaTypes>({
  // The first plugin is the outermost. The errors plugin turns the errors of the others into data.
  plugins: [ErrorsPlugin, ScopeAuthPlugin, RelayPlugin, PrismaPlugin, ValidationPlugin, 'posthorn'],
  defaultFieldNullability: false,
  errors: {
    defaultUnionOptions: { name: ({ fieldName }) => `${capitalized(fieldName)}Result` },
    defaultResultOptions: { name: ({ fieldName }) => `${capitalized(fieldName)}Success` },
  },
  scopeAuth: {
    // Authorizes when the stream opens, not with its first event.
    authorizeOnSubscribe: true,
    // Throws a `DomainError`, so that all transports report the same error. The context has a caller, or is not created.
    authScopes: (context) => ({
      scope: (needed) => {
        for (const scope of [needed].flat()) requireScope(context.caller, scope)
        return true
      },
    }),
  },
  relay: {
    encodeGlobalID: encodeNodeId,
    decodeGlobalID: decodeNodeId,
    cursorType: 'String',
    // Relay's specification describes these arguments and fields, and `Query` their bounds.
    nodesOnConnection: true,
    firstArgOptions: { validate: pageSizeRule },
    lastArgOptions: { validate: pageSizeRule },
    afterArgOptions: { validate: cursorRule },
    beforeArgOptions: { validate: cursorRule },
    idFieldOptions: { description: 'The id, the same in GraphQL, REST and the logs.' },
    nodeTypeOptions: { description: 'An object that `node` finds by its id.' },
    nodeQueryOptions: {
      description:
        'The object with this id, of any type. Null if the caller has no such object. Needs the scope that reads the type.',
      portal: findsAnyNodes,
      args: { id: { description: 'An id such as `wh_…`.' } },
      resolve: (_root, { id }, context, info, resolveNode) => {
        requireReadScope(context, info.schema, id.typename)
        return resolveNode(id)
      },
    },
    nodesQueryOptions: {
      description:
        'The objects with these ids, in the same order. Null for each that the caller does not have. Needs the scopes that read the types.',
      nullable: { list: true, items: true },
      portal: findsAnyNodes,
      args: { ids: { description: 'At most 100 ids.', validate: idsRule } },
      resolve: (_root, { ids }, context, info, resolveNodes) => {
        for (const { typename } of ids) requireReadScope(context, info.schema, typename)
        return resolveNodes(ids)
      },
    },
    pageInfoTypeOptions: { description: 'The position of a page in its list.' },
    hasNextPageFieldOptions: { description: 'Whether more items follow.' },
    hasPreviousPageFieldOptions: { description: 'Whether items precede this page.' },
    startCursorFieldOptions: { description: 'As `before`, it leads to the previous page.' },
    endCursorFieldOptions: { description: 'As `after`, it leads to the next page.' },
  },
  prisma: {
    client: (context) => context.prisma,
    dmmf: getDatamodel(),
    exposeDescriptions: true,
    maxConnectionSize: MAX_PAGE_SIZE,
    defaultConnectionSize: PAGE_SIZE,
    onUnusedQuery: null,
  },
  validation: { validationError: ({ issues }) => argumentError(issues) },
})

/** A node type declares the scope that reads it as `extensions.readScope`. Without one, any API key may read it. */
function requireReadScope(
  context: Context,
  schema: { getType(name: string): { extensions: object } | undefined },
  typename: string,
): void {
  const { readScope } = (schema.getType(typename)?.extensions ?? {}) as { readScope?: Scope }
  if (readScope) requireScope(context.caller, readScope)
}

builder.queryType({
  description:
    'All reads. A field that `Organization` has too is a shortcut: it answers for the organization of the caller or, for an operator, for the one in the header `posthorn-organization`. A client with a normalized cache that acts for several organizations selects the fields of `organization` instead. Connections take `first` and `after`, or `last` and `before`: 0 to 100 items, by default 20, as Relay specifies. They are newest first, unless their description gives another order and the reason. `nodes` has the items without their cursors. Lists that are no connections say so, and why. `extensions.cost` of the response has what the operation costs, `requested`, and the `maximum`: the number of fields in its largest response.',
})

builder.mutationType({
  description:
    'All changes. A mutation names its subject with `id`, or an upsert with `uid`, takes the rest as `input`, and returns a union of its success and the errors that the caller can act on. Mutations must be sent as a POST of `application/json`.',
})

builder.subscriptionType({
  description:
    'Live updates over server-sent events, in the distinct connections mode of the GraphQL-SSE protocol: POST or GET with `accept: text/event-stream`. The stream misses no event once the response has started. It ends with the error code `SLOW_CONSUMER` if the unread events of a client take too much memory, `RELOAD_REQUIRED` if it resumes more than 10,000 attempts behind, and `UNAUTHENTICATED` if its API key expires or is revoked, or its session ends. If the connection breaks, subscribe again. Limit: 100 subscriptions per API key and process.',
})

builder.scalarType('DateTime', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  description:
    'An RFC 3339 time, such as `2026-01-31T12:00:00Z`. Responses use UTC with milliseconds.',
  serialize: (time) => time.toISOString(),
  parseValue: (value) => parseTime(value),
})

builder.scalarType('Scope', {
  description: `A scope of an API key or a session: ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}. \`admin\` is for operators and has every scope.`,
  serialize: (scope) => scope,
  parseValue: (value) => {
    if (typeof value === 'string') return value
    throw createGraphQLError('A Scope is a string, such as "webhooks:read".')
  },
})

builder.scalarType('JSON', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: `Any JSON value. A body is nested at most ${MAX_JSON_NESTING} levels deep. Numbers are doubles. A number that is out of range, and an integer that a double cannot hold exactly, is rejected: send it as a string. A string or a key with a lone surrogate, which is half of a character, is rejected too.`,
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => {
    visit(node, { IntValue: exact, FloatValue: exact })
    return valueFromASTUntyped(node, variables)
  },
})

function exact({ value }: { readonly value: string }): void {
  if (isKeptByDouble(value)) return
  throw createGraphQLError(
    'The JSON value contains a number that cannot be stored exactly. Send it as a string.',
  )
}

function parseTime(value: unknown): Date {
  const time = typeof value === 'string' ? parseRfc3339(value) : null
  if (time) return time
  throw createGraphQLError(
    'A DateTime is an RFC 3339 time in a string, such as "2026-01-31T12:00:00Z".',
  )
}
