import type { GraphQLResolveInfo } from 'graphql'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import type { Context } from './context.ts'

/** The rows of an organization with these uuids, by uuid. */
type FindByIds<Row, Selection> = (
  db: PrismaClient,
  organizationId: string,
  uuids: readonly string[],
  selection: Selection,
) => Promise<ReadonlyMap<string, Row>>

/** Returns the row of an organization with a uuid, or null. The rows of a list are found together. */
export function lookUp<Row, Selection>(
  find: FindByIds<Row, Selection>,
  selection: Selection,
  context: Context,
  info: GraphQLResolveInfo,
  organizationId: string,
): (uuid: string) => Promise<Row | null> {
  const run = async (uuids: string[]) => {
    const found = await find(context.prisma, organizationId, uuids, selection)
    return uuids.map((uuid) => found.get(uuid) ?? null)
  }
  return context.perOrganization(organizationId, info, run)
}
