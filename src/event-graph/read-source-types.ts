import type { Db } from '../db/client.ts'
import type { SourceType } from './model.ts'

/** SQL: the event types that are not archived, with their schemas as their authors wrote them. */
export const SOURCE_TYPES = `
  select name, description, schema::text as schema from posthorn.event_types
  where archived_at is null order by name collate "C"`

/** The event types that the event graph is made of. */
export async function readSourceTypes(db: Db): Promise<SourceType[]> {
  return await db.$queryRawUnsafe<SourceType[]>(SOURCE_TYPES)
}
