import { expect } from 'vitest'
import type { PosthornError } from '../../packages/client/src/index.ts'
import { SYSTEM } from '../../src/auth/access/actor.ts'
import type { Database } from '../../src/db/client.ts'
import { createEventType } from '../../src/event-types/edit-event-type.ts'

/** An event type without a schema. */
export const NOTE = 'client.note'

/** The files of a worker process share the catalogue. */
export async function createNoteType({ prisma }: Database): Promise<void> {
  if (await prisma.eventType.findUnique({ where: { name: NOTE } })) return
  await createEventType(prisma, { name: NOTE, description: 'Any JSON value.' }, SYSTEM)
}

/** The events with these ids. */
export async function storedEvents({ pool }: Database, ids: readonly string[]) {
  const { rows } = await pool.query<{ type: string; data: string; occurredAt: Date }>(
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

/** The error of a call, which must fail. */
export async function failureOf(published: Promise<unknown>): Promise<PosthornError> {
  return await published.then(
    (value) => expect.fail(`published ${JSON.stringify(value)}`),
    (error) => error,
  )
}
