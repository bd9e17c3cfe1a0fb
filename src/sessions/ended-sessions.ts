import type { Sql } from '../db/client.ts'

/** The uuids of those console sessions that have ended. */
export async function findEndedSessions(
  sql: Sql,
  sessionIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'find_ended_sessions',
    text: `
      select session.id
      from unnest($1::uuid[]) as session (id) left join posthorn.sessions as s on s.id = session.id
      where s.id is null or s.expires_at <= now()`,
    values: [sessionIds],
  })
  return new Set(rows.map(({ id }) => id))
}

/** Deletes expired sessions, sign-in links and states of sign-ins, and portal and frontend sessions a day after their end. Returns their number. */
export async function deleteEndedSessions(sql: Sql): Promise<number> {
  const sessions = await sql.query('delete from posthorn.sessions where expires_at <= now()')
  const links = await sql.query('delete from posthorn.sign_in_links where expires_at <= now()')
  const states = await sql.query(
    'delete from posthorn.used_sign_in_states where expires_at <= now()',
  )
  const { rows } = await sql.query<{ deleted: number }>(
    'select posthorn.delete_ended_session_keys()::int as deleted',
  )
  const deleted = [sessions, links, states].reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0)
  return deleted + (rows[0]?.deleted ?? 0)
}
