import type { Sql } from '../db/client.ts'
import { mintUuid } from '../db/ids.ts'
import { findNewestEvents } from '../events/find-newest-events.ts'
import { inTurn } from '../lib/in-turn.ts'
import type { ChosenBody } from './choose-body.ts'
import { type Body, parseStoredBody } from './find-body.ts'
import { type BodyEvent, TOO_LARGE, writeBody } from './write-body.ts'

/** The body that a delivery of an event would have. */
export interface TriedBody {
  /** A uuid. Null: the example of the event type. */
  readonly eventUuid: string | null
  readonly eventType: string
  /** Null: the selection or template makes too much of the event. */
  readonly body: string | null
}

export interface TrialOptions {
  /** Names of event types. */
  readonly types: readonly string[]
  /** Leaves out events without a delivery to this webhook. Null: none. */
  readonly onlyWebhook: string | null
  /** The webhook that templates name. Null: one that does not exist yet. */
  readonly webhookUuid: string | null
}

export const MAX_TRIED = 10
const MAX_BYTES = 1024 * 1024

/** Writes the bodies of the newest events of the types. If there are none, those of the examples of the types. */
export async function tryBody(
  sql: Sql,
  organizationId: string,
  chosen: ChosenBody,
  { types, onlyWebhook, webhookUuid }: TrialOptions,
): Promise<TriedBody[]> {
  const selection = { types, onlyWebhook, max: MAX_TRIED, maxBytes: MAX_BYTES }
  const newest = await findNewestEvents(sql, organizationId, selection)
  const events = newest.length > 0 ? newest : await findExamples(sql, types)
  const delivery = {
    id: mintUuid(),
    webhookId: webhookUuid ?? mintUuid(),
    publicUrl: await readPublicUrl(sql),
  }
  const isWhole = chosen.plan === null && chosen.template === null
  const body: Body | null = isWhole ? null : parseStoredBody(chosen)
  const tried: TriedBody[] = []
  for (const event of events) {
    const written = await inTurn(organizationId, (budget) =>
      writeBody(body, event, delivery, budget),
    )
    tried.push({
      eventUuid: newest.length > 0 ? event.id : null,
      eventType: event.type,
      body: written === TOO_LARGE ? null : written,
    })
  }
  return tried
}

async function findExamples(sql: Sql, types: readonly string[]): Promise<BodyEvent[]> {
  const { rows } = await sql.query<{ type: string; data: string }>({
    name: 'find_examples',
    text: `
      select name as type, example::text as data from posthorn.event_types
      where name = any ($1::text[]) and archived_at is null and example is not null
      order by name collate "C" limit ${MAX_TRIED}`,
    values: [types],
  })
  const occurredAt = new Date()
  return rows.map((row) => ({ ...row, id: mintUuid(), occurredAt, previous: null }))
}

async function readPublicUrl(sql: Sql): Promise<string | null> {
  const { rows } = await sql.query<{ publicUrl: string | null }>({
    name: 'read_public_url',
    text: 'select public_url as "publicUrl" from posthorn.settings',
  })
  return rows[0]?.publicUrl ?? null
}
