import type { Sql } from '../db/client.ts'
import { checkSchema } from '../lib/json-schema.ts'

/** Throws before an upgrade if this version cannot use the schema of an event type: it would publish none of its events. */
export async function requireUsableSchemas(sql: Sql): Promise<void> {
  const { rowCount } = await sql.query(
    `select where to_regclass('posthorn.event_types') is not null`,
  )
  if (rowCount === 0) return
  const { rows } = await sql.query<{ name: string; schema: object }>(
    'select name, schema from posthorn.event_types where schema is not null and archived_at is null order by name',
  )
  const problems: string[] = []
  for (const { name, schema } of rows) {
    const { problem } = await checkSchema(schema)
    if (problem) problems.push(`The schema of the event type ${name} ${problem}`)
  }
  if (problems.length === 0) return
  throw new Error(
    `${problems.join('\n')}\nNothing was changed. Change these schemas with updateEventType of the present version of Posthorn, then upgrade again.`,
  )
}
