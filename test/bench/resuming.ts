import type { Sql } from '../../src/db/client.ts'
import { MAX_MISSED } from '../../src/live/topic.ts'
import { percentile } from './percentile.ts'

const REPEATS = 10
/** The stream also repeats the attempts of the five seconds before, and together they must not be more than the maximum. */
const REPEATED = 100

export interface Resuming {
  /** The number of missed attempts. */
  readonly missed: number
  /** How often the subscription was resumed. */
  readonly count: number
  /** The 95th percentile of the time from the request to the last missed attempt. */
  readonly tookMs: number
}

/** Resumes a subscription whose client missed the newest attempts of an organization. */
export async function measureResuming(
  sql: Sql,
  organizationId: string,
  url: string,
  token: string,
): Promise<Resuming> {
  const { rows } = await sql.query<{ id: string }>(
    `select posthorn.type_id('att', id) as id from posthorn.attempts where organization_id = $1
     order by id desc limit $2`,
    [organizationId, MAX_MISSED - REPEATED + 1],
  )
  const [newest, after] = [rows[0]?.id ?? '', rows.at(-1)?.id ?? '']
  const took: number[] = []
  for (let i = 0; i < REPEATS; i++) took.push(await resume(url, token, after, newest))
  return { missed: rows.length - 1, count: REPEATS, tookMs: percentile(took, 0.95) }
}

const SUBSCRIPTION = `subscription ($after: ID) {
  attemptRecorded(after: $after) { id number succeeded status errorCode delivery { id state eventType } }
}`

async function resume(url: string, token: string, after: string, last: string): Promise<number> {
  const closed = new AbortController()
  const startedAt = performance.now()
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query: SUBSCRIPTION, variables: { after } }),
    signal: closed.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(`"id":"${last}"`)) {
    const chunk = await reader?.read()
    // An id may begin in one chunk and end in the next.
    text = text.slice(-100) + (chunk?.value ?? '')
    if (chunk?.done !== false || text.includes('"errors"')) {
      throw new Error(`The stream ended before the last attempt: ${text}`)
    }
  }
  const tookMs = performance.now() - startedAt
  closed.abort()
  return tookMs
}
