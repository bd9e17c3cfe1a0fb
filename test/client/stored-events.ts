import type { Database } from '../../src/db/client.ts'

export interface StoredEvent {
  readonly type: string
  readonly data: string
  readonly previous: string | null
  readonly occurredAt: Date
  readonly traceParent: string | null
  readonly organization: string
}

/** The events with these ids. */
export async function storedEvents(
  { pool }: Database,
  ids: readonly string[],
): Promise<StoredEvent[]> {
  const { rows } = await pool.query<StoredEvent>(
    `select type, data, previous, occurred_at as "occurredAt", trace_parent as "traceParent",
        posthorn.type_id('org', organization_id) as organization
      from unnest($1::text[]) with ordinality as given (id, n)
      join posthorn.events on events.id = posthorn.parse_type_id('evt', given.id) order by n`,
    [ids],
  )
  return rows
}

/** The data of all events whose data has a text. */
export async function storedData({ pool }: Database, text: string): Promise<string[]> {
  const { rows } = await pool.query<{ data: string }>(
    'select data from posthorn.events where strpos(data, $1) > 0 order by id',
    [text],
  )
  return rows.map(({ data }) => data)
}
