import { EventGraph, eventRoots } from '../../../bodies/event-graph/event-schema.ts'
import type { Sql } from '../../../db/client.ts'
import { followCatalogue } from '../../../event-types/follow-catalogue.ts'
import { MAX_CONSUMERS } from '../consumers/consumer.ts'
import {
  DEFAULT_LEASE_SECONDS,
  DEFAULT_PULLED,
  MAX_LEASE_SECONDS,
  MAX_PULLED,
  MAX_WAIT_SECONDS,
} from '../consumers/pull-events.ts'
import { ROOT_FIELDS } from './root-fields.ts'

/** The graph of the event types that are not archived. `maxBytes`: what its schemas may take of the heap. */
export function followGraph(sql: Sql, maxBytes: number): () => Promise<EventGraph> {
  return followCatalogue(sql, async (types) => new EventGraph(types, STREAM_ROOTS, maxBytes))
}

const english = (count: number) => count.toLocaleString('en')

const SELECTION_ARGUMENTS = `
    """
    Names of event types, and patterns such as \`order.*\`, as for webhooks. Default: all types, without the operational events \`posthorn.*\`, which only their names include.
    """
    types: [String!]
    """What \`data\` must meet: a filter as that of webhooks. Default: none."""
    filter: JSON
    """The filter as the text of its JSON, whose numbers keep their digits."""
    filterText: String
`

const STREAM_ROOTS = eventRoots(
  `
extend interface Event {
  """The place of the event in the stream, for \`after\`: a stream goes on after it."""
  cursor: String!
}

"""The events of a pull."""
type PulledEvents {
  """Acknowledges the events, with \`acknowledgeEvents\`: \`lease_…\`. Null without events."""
  lease: ID
  """Until when the events are acknowledged. Afterwards, the next pull gets them. Null without events."""
  expiresAt: DateTime
  """The events, in the order of the stream."""
  events: [Event!]!
}

"""Where a new consumer begins."""
enum ConsumerStart {
  """With the events published after its first pull."""
  NOW
  """With the oldest event of the stream, which begins when somebody first subscribes or pulls."""
  OLDEST
}

type Query {
  """The event with this id, or null. Its \`cursor\` is that of no stream. Needs the scope \`events:read\`."""
  event(
    """The id: \`evt_…\`."""
    id: ID!
  ): Event
}

type Mutation {
  """
  Gives the next events of a consumer, at least once: what is not acknowledged before the lease expires is given again. The first pull creates the consumer. Several programs that pull for one consumer get different events. Needs the scope \`events:read\`.
  """
  pullEvents(
    """The name of the consumer: 1 to 64 of a to z, 0 to 9, \`.\`, \`_\` and \`-\`. An organization has at most ${MAX_CONSUMERS}."""
    consumer: String!
    ${SELECTION_ARGUMENTS}
    """The most events: 1 to ${english(MAX_PULLED)}. Default: ${DEFAULT_PULLED}. About 2 MiB of events are given at once."""
    max: Int
    """How many seconds to wait for an event: 0 to ${MAX_WAIT_SECONDS}. Default: 0."""
    wait: Int
    """How many seconds the events are kept from other pulls: 1 to ${english(MAX_LEASE_SECONDS)}. Default: ${DEFAULT_LEASE_SECONDS}."""
    lease: Int
    """Where the consumer begins, if this pull creates it. Default: NOW."""
    from: ConsumerStart
  ): PulledEvents
  """
  Acknowledges the events of a lease. Returns how many; 0 if they were acknowledged before, or if the lease had expired and another pull got them. Needs the scope \`events:read\`.
  """
  acknowledgeEvents(
    """The name of the consumer."""
    consumer: String!
    """The lease of the pull: \`lease_…\`."""
    lease: ID!
  ): Int
}

type Subscription {
  """
  Emits each event that is published, in the order of their commits. Needs the scope \`events:read\`. A session of one webhook gets the events that its webhook subscribes to and that its filter lets through.
  """
  events(
    ${SELECTION_ARGUMENTS}
    """
    The \`cursor\` of an event, such as the last one that the client received: the stream goes on after it, without a gap. If later events are no longer kept, the error has the code \`RELOAD_REQUIRED\`. Default: the stream begins now.
    """
    after: String
  ): Event
}
`,
  ROOT_FIELDS,
)
