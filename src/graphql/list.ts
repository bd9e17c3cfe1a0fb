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

/** What has lists, and what `find` gets of it: of an organization, its uuid. */
type Parent<Owner> = Owner extends 'Organization'
  ? string
  : Owner extends Row
    ? PrismaTypes[Owner]['Shape']
    : unknown

interface List<Owner, Type extends Row, Args extends InputFieldMap> {
  readonly description: string
  readonly scope: Scope
  readonly portal?: PortalAccess
  /** Beside those of every page. */
  readonly args?: (t: Arguments) => Args
  /** Finds the rows of a page. */
  readonly find: (
    query: Page & { readonly include?: PrismaTypes[Type]['Include'] },
    parent: Parent<Owner>,
    args: InputShapeFromFields<Args>,
    context: Context,
    info: GraphQLResolveInfo,
  ) => Promise<PrismaTypes[Type]['Shape'][]>
}

/**
 * Adds a field with rows in pages, to `Organization` with its shortcut in `Query`. All lists of a type have the same type of
 * connection.
 */
export function addList<
  Owner extends 'Query' | 'Organization' | 'Delivery' | 'Event' | 'Webhook',
  Type extends Row,
  Args extends InputFieldMap = Record<never, never>,
>(
  owner: Owner,
  name: string,
  type: Type,
  { scope, args, find, ...list }: List<Owner, Type, Args>,
): void {
  const ofOrganization = owner === 'Organization'
  const options = {
    ...{ ...list, type, cursor: 'id', semanticNonNull: true, authScopes: { scope } },
    ...(args && { args: builder.args(args) }),
    resolve: (...[query, parent, ...rest]: Parameters<typeof find>) =>
      find(
        query,
        ofOrganization ? (organizationOf(parent, rest[1]) as Parent<Owner>) : parent,
        ...rest,
      ),
  }
  const fields = (t: Parameters<Fields>[0]) => ({
    [name]: t.prismaConnection(options as never, connectionOf(type)),
  })
  if (ofOrganization) organizationFields(fields)
  else if (owner === 'Query') builder.queryFields(fields)
  else builder.prismaObjectFields(owner as 'Webhook', fields as never)
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
