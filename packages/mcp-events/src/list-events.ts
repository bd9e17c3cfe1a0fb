import { inputSchemaOf } from './offered-event.ts'
import type { EventsOptions } from './options.ts'
import type { CallPosthorn } from './posthorn.ts'

interface EventType {
  readonly name: string
  readonly description: string
  readonly schema: object | boolean | null
}

/** The offered events that the catalogue has, with the schemas of their data. */
export async function listEvents(call: CallPosthorn, { events }: Pick<EventsOptions, 'events'>) {
  const { eventTypes } = await call<{ eventTypes: readonly EventType[] }>(null, EVENT_TYPES)
  return {
    events: eventTypes.flatMap(({ name, description, schema }) => {
      const offered = Object.hasOwn(events, name) ? events[name] : undefined
      if (!offered) return []
      return {
        name,
        description: offered.description ?? description,
        delivery: ['webhook'],
        inputSchema: inputSchemaOf(offered),
        payloadSchema: typeof schema === 'object' && schema !== null ? schema : {},
      }
    }),
  }
}

const EVENT_TYPES = '{ eventTypes { name description schema } }'
