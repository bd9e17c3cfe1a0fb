import type { Sql } from '../db/client.ts'

/** Of these sessions of the console, those that are over, by their uuids. */
export async function findEndedSessions(
  sql: Sql,
  sessionIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'find_ended_sessions',
    text: `
      select wanted.id
      from unnest($1::uuid[]) as wanted (id) left join posthorn.sessions as s on s.id = wanted.id
      where s.id is null or s.expires_at <= now()`,
    values: [sessionIds],
  })
  return new Set(rows.map(({ id }) => id))
}

/** Deletes sessions and sign-in links that are past, and portal sessions a day after their end. */
export async function deleteEndedSessions(sql: Sql): Promise<number> {
  const sessions = await sql.query('delete from posthorn.sessions where expires_at <= now()')
  const links = await sql.query('delete from posthorn.sign_in_links where expires_at <= now()')
  const { rows } = await sql.query<{ deleted: number }>(
    'select posthorn.delete_expired_portal_keys()::int as deleted',
  )
  return (sessions.rowCount ?? 0) + (links.rowCount ?? 0) + (rows[0]?.deleted ?? 0)
}
