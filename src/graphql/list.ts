import type { InputFieldMap, InputShapeFromFields } from '@pothos/core'
import { getRefFromModel } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { Scope } from '../auth/access/scope.ts'
import type PrismaTypes from '../db/generated/pothos.ts'
import type { Page } from '../db/page.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import type { Arguments } from './mutation.ts'
import { type Fields, organizationFields, organizationOf } from './organization-fields.ts'
import type { PortalAccess } from './portal-access.ts'

type Row = keyof PrismaTypes

interface List<Parent, Type extends Row, Args extends InputFieldMap> {
  readonly description: string
  readonly scope: Scope
  readonly portal?: PortalAccess
  /** Beside those of every page. */
  readonly args?: (t: Arguments) => Args
  /** Finds the rows of a page. */
  readonly find: (
    query: Page & { readonly include?: PrismaTypes[Type]['Include'] },
    parent: Parent,
    args: InputShapeFromFields<Args>,
    context: Context,
    info: GraphQLResolveInfo,
  ) => Promise<PrismaTypes[Type]['Shape'][]>
}

/** Adds a field with rows in pages to `Query` or to the type of a row. All lists of a type have the same type of connection. */
export function addList<
  Owner extends 'Query' | 'Delivery' | 'Event' | 'Webhook',
  Type extends Row,
  Args extends InputFieldMap = Record<never, never>,
>(
  owner: Owner,
  name: string,
  type: Type,
  list: List<Owner extends Row ? PrismaTypes[Owner]['Shape'] : unknown, Type, Args>,
): void {
  const fields = listFields(name, type, list)
  if (owner === 'Query') builder.queryFields(fields)
  else builder.prismaObjectFields(owner as 'Webhook', fields as never)
}

/** Adds the field to `Organization`, with the uuid of the organization as the parent, and its shortcut to `Query`. */
export function addOrganizationList<
  Type extends Row,
  Args extends InputFieldMap = Record<never, never>,
>(name: string, type: Type, { find, ...list }: List<string, Type, Args>): void {
  const fields = listFields<unknown, Type, Args>(name, type, {
    ...list,
    find: (query, parent, args, context, info) =>
      find(query, organizationOf(parent, context), args, context, info),
  })
  organizationFields(fields)
}

function listFields<Parent, Type extends Row, Args extends InputFieldMap>(
  name: string,
  type: Type,
  { scope, args, find, ...list }: List<Parent, Type, Args>,
) {
  const options = {
    ...{ ...list, type, cursor: 'id', resolve: find },
    ...{ semanticNonNull: true, authScopes: { scope } },
    ...(args && { args: builder.args(args) }),
  }
  return (t: Parameters<Fields>[0]) => ({
    [name]: t.prismaConnection(options as never, connectionOf(type)),
  })
}

const connections = new Map<Row, ReturnType<typeof createConnection>>()

function connectionOf(type: Row) {
  const connection = connections.get(type) ?? createConnection(type)
  connections.set(type, connection)
  return connection
}

function createConnection(type: Row) {
  const name = type === 'AuditEntry' ? 'Audit' : type
  return builder.connectionObject(
    {
      type: getRefFromModel(type, builder),
      name: `${name}Connection`,
      description: `A page of a list of \`${type}\`.`,
    },
    { name: `${name}Edge`, description: `A \`${type}\` in a page.` },
  )
}
