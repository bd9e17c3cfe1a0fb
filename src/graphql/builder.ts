import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import ErrorsPlugin from '@pothos/plugin-errors'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import ValidationPlugin from '@pothos/plugin-validation'
import { requireScope, type Scope } from '../access/scope.ts'
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
import { fieldComplexity } from './limits/field-complexity.ts'
import { decodeNodeId, encodeNodeId } from './node-id.ts'
import { findsAnyNode, findsAnyNodes } from './portal-access.ts'
import './limits/answer-counter.ts'
import './portal-access-plugin.ts'

/**
 * The object types that are no rows, by name, so that the file of one type can name another. The core knows none of the
 * product's: their files add them, by `declare module '../graphql/builder.ts' { interface Objects { … } }`.
 */
export interface Objects {
  ValidationIssue: FieldIssue
}

/** The input types that files of other types name; added like `Objects`. */
// biome-ignore lint/suspicious/noEmptyInterface: type files add to it
export interface Inputs {}

interface SchemaTypes {
  Context: Context
  PrismaTypes: PrismaTypes
  Objects: Objects
  Interfaces: { UserError: DomainError }
  Inputs: Inputs
  Scalars: {
    DateTime: { Input: Date; Output: Date }
    ID: { Input: string; Output: string }
    JSON: { Input: unknown; Output: unknown }
  }
  AuthScopes: { authenticated: boolean; scope: Scope }
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  DefaultNodeNullability: false
}

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

export const builder = new SchemaBuilder<SchemaTypes>({
  // The first wraps the others: what is counted is the answer, and an error that is data must be seen after authorization
  // and validation refused. The last stands right before the resolvers.
  plugins: [
    'answerCounter',
    ErrorsPlugin,
    ScopeAuthPlugin,
    RelayPlugin,
    PrismaPlugin,
    ValidationPlugin,
    ComplexityPlugin,
    'portalAccess',
  ],
  defaultFieldNullability: false,
  // Only counted here: use-limits.ts checks it once for an operation, before any field is resolved.
  complexity: { disabled: true, fieldComplexity },
  errors: {
    defaultUnionOptions: { name: ({ fieldName }) => `${capitalized(fieldName)}Result` },
    defaultResultOptions: { name: ({ fieldName }) => `${capitalized(fieldName)}Success` },
  },
  scopeAuth: {
    // Before the stream begins, not with its first event.
    authorizeOnSubscribe: true,
    // Both throw what they refuse, in the words of every transport.
    authScopes: (context) => ({
      authenticated: () => callerOf(context) !== null,
      scope: (scope) => {
        requireScope(callerOf(context), scope)
        return true
      },
    }),
  },
  relay: {
    encodeGlobalID: encodeNodeId,
    decodeGlobalID: decodeNodeId,
    cursorType: 'String',
    nodesOnConnection: { description: 'The rows of the page, without their cursors.' },
    firstArgOptions: {
      description: `How many to answer with, from the beginning or after \`after\`: 0 to ${MAX_PAGE_SIZE}. Default: ${PAGE_SIZE}.`,
      validate: pageSizeRule,
    },
    lastArgOptions: {
      description: `How many to answer with, from the end or before \`before\`: 0 to ${MAX_PAGE_SIZE}.`,
      validate: pageSizeRule,
    },
    afterArgOptions: {
      description: 'A cursor: answer with what follows it.',
      validate: cursorRule,
    },
    beforeArgOptions: {
      description: 'A cursor: answer with what precedes it.',
      validate: cursorRule,
    },
    idFieldOptions: { description: 'The id, the same in GraphQL, REST and the logs.' },
    nodeTypeOptions: { description: 'Whatever has an id that `node` finds it by.' },
    nodeQueryOptions: {
      description: 'What has this id, of whatever kind. Null when the caller has no such thing.',
      authScopes: { authenticated: true },
      portal: findsAnyNode,
      args: { id: { description: 'An id such as `wh_…`, or the name of an event type.' } },
      resolve: (_root, { id }, context, info, resolveNode) => {
        requireReadScope(context, info.schema, id.typename)
        return resolveNode(id)
      },
    },
    nodesQueryOptions: {
      description:
        'What has these ids, in their order, with null for what the caller does not have.',
      nullable: { list: true, items: true },
      authScopes: { authenticated: true },
      portal: findsAnyNodes,
      args: { ids: { description: 'At most 100 ids.', validate: idsRule } },
      resolve: (_root, { ids }, context, info, resolveNodes) => {
        for (const { typename } of ids) requireReadScope(context, info.schema, typename)
        return resolveNodes(ids)
      },
    },
    edgesFieldOptions: { description: 'The rows of the page, each with its cursor.' },
    nodeFieldOptions: { description: 'The row.' },
    cursorFieldOptions: { description: 'Where the row stands, for `after` and `before`.' },
    pageInfoFieldOptions: { description: 'Whether there is more, and how to ask for it.' },
    pageInfoTypeOptions: { description: 'Where a page begins and ends, and what lies beyond.' },
    hasNextPageFieldOptions: { description: 'Whether more follows.' },
    hasPreviousPageFieldOptions: { description: 'Whether something precedes.' },
    startCursorFieldOptions: {
      description: 'The cursor of the first row: `before` it lies the page before.',
    },
    endCursorFieldOptions: {
      description: 'The cursor of the last row: `after` it lies the next page.',
    },
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

/** Node types say in `extensions.readScope` which scope reads them; without one, any key may. */
function requireReadScope(
  context: Context,
  schema: { getType(name: string): { extensions: object } | undefined },
  typename: string,
): void {
  const { readScope } = (schema.getType(typename)?.extensions ?? {}) as { readScope?: Scope }
  if (readScope) requireScope(callerOf(context), readScope)
}
