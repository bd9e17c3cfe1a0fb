import type { GraphQLResolveInfo } from 'graphql'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { type Context, callerOf } from './context.ts'

/** The rows of an organization with these uuids, by uuid. */
type FindByIds<Row, Selection> = (
  db: PrismaClient,
  organizationId: string,
  uuids: readonly string[],
  selection: Selection,
) => Promise<ReadonlyMap<string, Row>>

/** Returns the row with a uuid, or null. The rows of a list are found together. */
export function lookUp<Row, Selection>(
  find: FindByIds<Row, Selection>,
  selection: Selection,
  context: Context,
  info: GraphQLResolveInfo,
): (uuid: string) => Promise<Row | null> {
  return context.perField(info, async (uuids: string[]) => {
    const { organizationId } = callerOf(context)
    const found = await find(context.prisma, organizationId, uuids, selection)
    return uuids.map((uuid) => found.get(uuid) ?? null)
  })
}
