import {
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLSchema,
  GraphQLString,
} from 'graphql'
import {
  createEventSchema,
  printEventGraph,
  type RootTypes,
  SOURCE_TYPES,
} from '../../../bodies/event-graph/event-schema.ts'
import {
  DATE_TIME_SCALAR,
  INT,
  JSON_SCALAR,
  type SourceType,
} from '../../../bodies/event-graph/event-types.ts'
import type { Sql } from '../../../db/client.ts'
import { readVersion } from '../../../event-types/follow-catalogue.ts'
import { followVersion } from '../../../lib/follow-version.ts'
import { MAX_CONSUMERS } from '../consumers/consumer.ts'
import {
  DEFAULT_LEASE_SECONDS,
  DEFAULT_PULLED,
  MAX_LEASE_SECONDS,
  MAX_PULLED,
  MAX_WAIT_SECONDS,
} from '../consumers/pull-events.ts'
import {
  acknowledgeEvents,
  findEvent,
  pullEvents,
  selectPulled,
  selectStreamed,
  subscribeToEvents,
} from './root-fields.ts'

/** A graph of events. */
export interface EventGraph {
  readonly schema: GraphQLSchema
  /** The schema definition language. It is printed once, when somebody asks for it. */
  readonly text: () => Promise<Uint8Array<ArrayBuffer>>
}

/** The graph of the event types that are not archived. It is made in turns: other requests are served meanwhile. */
export function followGraph(sql: Sql): () => Promise<EventGraph> {
  return followVersion(
    () => readVersion(sql),
    async () => {
      const { rows } = await sql.query<SourceType>({
        name: 'read_source_types',
        text: SOURCE_TYPES,
      })
      const schema = await createEventSchema(rows, streamRoots)
      let printed: Promise<Uint8Array<ArrayBuffer>> | undefined
      return {
        schema,
        text() {
          // Bytes are outside of the heap.
          printed ??= printEventGraph(schema).then(Buffer.from)
          return printed
        },
      }
    },
  )
}

/** An event has up to 256 KiB. */
const COMPLEXITY_OF_EVENT = 2_500

const ConsumerStart = new GraphQLEnumType({
  name: 'ConsumerStart',
  description: 'Where a new consumer begins.',
  values: {
    NOW: { value: 'now', description: 'With the events published after its first pull.' },
    OLDEST: {
      value: 'oldest',
      description:
        'With the oldest event of the stream, which begins when somebody first subscribes or pulls.',
    },
  },
})

const SELECTION_ARGS: GraphQLFieldConfigArgumentMap = {
  types: {
    type: new GraphQLList(new GraphQLNonNull(GraphQLString)),
    description:
      'Names of event types, and patterns such as `order.*`, as for webhooks. Default: all types, without the operational events `posthorn.*`, which only their names include.',
  },
  filter: {
    type: JSON_SCALAR,
    description: 'What `data` must meet: a filter as that of webhooks. Default: none.',
  },
  filterText: {
    type: GraphQLString,
    description: 'The filter as the text of its JSON, whose numbers keep their digits.',
  },
}

const english = (count: number) => count.toLocaleString('en')

/** The root fields of the graph of events. */
const streamRoots: RootTypes = (event) => {
  const anEvent = new GraphQLNonNull(event)
  const PulledEvents = new GraphQLObjectType({
    name: 'PulledEvents',
    description: 'The events of a pull.',
    fields: {
      lease: {
        type: GraphQLID,
        description:
          'Acknowledges the events, with `acknowledgeEvents`: `lease_…`. Null without events.',
      },
      expiresAt: {
        type: DATE_TIME_SCALAR,
        description:
          'Until when the events are acknowledged. Afterwards, the next pull gets them. Null without events.',
      },
      events: {
        type: new GraphQLNonNull(new GraphQLList(anEvent)),
        description: 'The events, in the order of the stream.',
        resolve: selectPulled,
      },
    },
  })
  return {
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        event: {
          type: event,
          description:
            'The event with this id, or null. Its `cursor` is that of no stream. Needs the scope `events:read`.',
          args: {
            id: { type: new GraphQLNonNull(GraphQLID), description: 'The id: `evt_…`.' },
          },
          extensions: { complexity: COMPLEXITY_OF_EVENT },
          resolve: findEvent,
        },
      },
    }),
    mutation: new GraphQLObjectType({
      name: 'Mutation',
      fields: {
        pullEvents: {
          type: PulledEvents,
          description:
            'Gives the next events of a consumer, at least once: what is not acknowledged before the lease expires is given again. The first pull creates the consumer. Several programs that pull for one consumer get different events. Needs the scope `events:read`.',
          args: {
            consumer: {
              type: new GraphQLNonNull(GraphQLString),
              description: `The name of the consumer: 1 to 64 of a to z, 0 to 9, \`.\`, \`_\` and \`-\`. An organization has at most ${MAX_CONSUMERS}.`,
            },
            ...SELECTION_ARGS,
            max: {
              type: INT,
              description: `The most events: 1 to ${english(MAX_PULLED)}. Default: ${DEFAULT_PULLED}. About 2 MiB of events are given at once.`,
            },
            wait: {
              type: INT,
              description: `How many seconds to wait for an event: 0 to ${MAX_WAIT_SECONDS}. Default: 0.`,
            },
            lease: {
              type: INT,
              description: `How many seconds the events are kept from other pulls: 1 to ${english(MAX_LEASE_SECONDS)}. Default: ${DEFAULT_LEASE_SECONDS}.`,
            },
            from: {
              type: ConsumerStart,
              description: 'Where the consumer begins, if this pull creates it. Default: NOW.',
            },
          },
          // What a pull gives counts as memory once it is known: while a pull waits, it must not hold up others.
          extensions: { complexity: { field: 1, multiplier: 1 } },
          resolve: pullEvents,
        },
        acknowledgeEvents: {
          type: INT,
          description:
            'Acknowledges the events of a lease. Returns how many; 0 if they were acknowledged before. After the lease has expired, this works until another pull gets the events: then the error has the code `CONFLICT`. Needs the scope `events:read`.',
          args: {
            consumer: {
              type: new GraphQLNonNull(GraphQLString),
              description: 'The name of the consumer.',
            },
            lease: {
              type: new GraphQLNonNull(GraphQLID),
              description: 'The lease of the pull: `lease_…`.',
            },
          },
          resolve: acknowledgeEvents,
        },
      },
    }),
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: {
        events: {
          type: event,
          description:
            'Emits each event that is published, in the order of their commits. Needs the scope `events:read`. A session of one webhook gets the events that its webhook subscribes to and that its filter lets through.',
          args: {
            ...SELECTION_ARGS,
            after: {
              type: GraphQLString,
              description:
                'The `cursor` of an event, such as the last one that the client received: the stream goes on after it, without a gap. If later events are no longer kept, the error has the code `RELOAD_REQUIRED`. Default: the stream begins now.',
            },
          },
          extensions: { complexity: COMPLEXITY_OF_EVENT },
          subscribe: subscribeToEvents,
          resolve: selectStreamed,
        },
      },
    }),
  }
}
