import type { Sql } from '../db/client.ts'

/** The event types of the contract, and the whole catalogue of a fresh installation. Operators add their own. */
const EVENT_TYPES: readonly SeededType[] = [
  {
    name: 'event_attendee.joined_event',
    description: 'An attendee has been added to an event.',
    example: {
      event: { id: 'ev_1042', name: 'Harvest Fair' },
      attendee: { id: 'at_77', email: 'ada@example.com' },
    },
  },
  {
    name: 'event_attendee.ticket_success',
    description: 'A ticket has been successfully issued to an attendee.',
    example: {
      event: { id: 'ev_1042', name: 'Harvest Fair' },
      attendee: { id: 'at_77', email: 'ada@example.com' },
      ticket: { id: 'tk_9001', type: 'general' },
    },
  },
]

interface SeededType {
  readonly name: string
  readonly description: string
  readonly example: object
}

const SCHEMA = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }

/** Fills an empty catalogue. Event types are never deleted, so only a fresh installation has an empty one. */
export async function seedCatalogue(sql: Sql): Promise<void> {
  await sql.query(
    `insert into posthorn.event_types (name, description, schema, example)
     select type ->> 'name', type ->> 'description', $2, type -> 'example' from json_array_elements($1) as type
     where not exists (select from posthorn.event_types)
     on conflict do nothing`,
    [JSON.stringify(EVENT_TYPES), JSON.stringify(SCHEMA)],
  )
}
