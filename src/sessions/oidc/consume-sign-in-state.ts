import { createHash } from 'node:crypto'
import type { Sql } from '../../db/client.ts'
import { SIGN_IN_MS, type SignInState } from './sign-in-state.ts'

/**
 * Uses up the state of a sign-in, in every process. Returns false if it was used before: then a program that kept the cookie
 * could make Posthorn call the provider without end.
 */
export async function consumeSignInState(sql: Sql, { state }: SignInState): Promise<boolean> {
  const { rowCount } = await sql.query(
    `insert into posthorn.used_sign_in_states (state_hash, expires_at)
     values ($1, now() + $2 * interval '1 millisecond') on conflict do nothing`,
    [createHash('sha256').update(state).digest(), SIGN_IN_MS],
  )
  return rowCount === 1
}
