import SchemaBuilder from '@pothos/core'
import ErrorsPlugin from '@pothos/plugin-errors'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import ValidationPlugin from '@pothos/plugin-validation'
import { requireScope, type Scope } from '../auth/access/scope.ts'
import type PrismaTypes from '../db/generated/pothos.ts'
import { getDatamodel } from '../db/generated/pothos.ts'
import type { DomainError, FieldIssue } from '../lib/errors.ts'
import {
  argumentError,
  cursorRule,
  idsRule,
  MAX_PAGE_SIZE,
  PAGE_SIZE,
  pageSizeRule,
} from './arguments.ts'
import { type Context, callerOf } from './context.ts'
import type { NeededScopes } from './field-plugin.ts'
import './field-plugin.ts'
import { decodeNodeId, encodeNodeId } from './node-id.ts'
import { findsAnyNode, findsAnyNodes } from './portal-access.ts'

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
  AuthScopes: { authenticated: boolean; scope: NeededScopes }
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
    // Both throw a `DomainError`, so that all transports report the same error.
    authScopes: (context) => ({
      authenticated: () => callerOf(context) !== null,
      scope: (needed) => {
        for (const scope of [needed].flat()) requireScope(callerOf(context), scope)
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
      authScopes: { authenticated: true },
      portal: findsAnyNode,
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
      authScopes: { authenticated: true },
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
  if (readScope) requireScope(callerOf(context), readScope)
}
