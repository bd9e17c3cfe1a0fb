import { GraphQLError, type GraphQLFieldResolver, type GraphQLResolveInfo } from 'graphql'
import { createSchema } from 'graphql-yoga'
import { EVENT, EventGraph, eventOf } from '../../bodies/event-graph/event-schema.ts'
import { eventTypeOf, OTHER_EVENT } from '../../bodies/event-graph/event-types.ts'
import { planEvent } from '../../bodies/event-graph/plan-selection.ts'
import { selectEvent } from '../../bodies/event-graph/select-event.ts'
import type { Sql } from '../../db/client.ts'
import { parseId } from '../../db/ids.ts'
import { followCatalogue } from '../../event-types/follow-catalogue.ts'
import type { Context } from '../../graphql/context.ts'
import { subscriberOf } from '../../graphql/live-stream.ts'
import { inTurn } from '../../lib/in-turn.ts'
import { MAX_STEPS, OverBudget, type WorkBudget } from '../../lib/work-budget.ts'
import { MAX_CONSUMERS } from './consumers/consumer.ts'
import {
  acknowledgeEvents,
  DEFAULT_LEASE_SECONDS,
  DEFAULT_PULLED,
  MAX_LEASE_SECONDS,
  MAX_PULLED,
  MAX_WAIT_SECONDS,
  type PulledEvents,
  pullEvents,
} from './consumers/pull-events.ts'
import { printCursor } from './cursor.ts'
import { followEvents, type Reader, type StreamRequest, scopeOf } from './follow-events.ts'
import { bytesOf, findEvent, type StreamEvent } from './read-stream.ts'

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

const STREAM_TYPES = `
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
`

type Resolve<Args, Source = unknown> = GraphQLFieldResolver<Source, Context, Args>

const resolveEvent: Resolve<{ readonly id: string }> = async (_root, args, context, info) => {
  const uuid = parseId('event', args.id)
  const scope = scopeOf(context.caller, null)
  const event = uuid && (await findEvent(context.sql, scope, uuid))
  return event ? await createSelect(context, info)(event, budgetOf(context)) : null
}

const resolvePull: Resolve<Readonly<Record<string, unknown>>> = async (_root, args, context) => {
  const pulled = await pullEvents(context, readerOf(context), args)
  const bytes = pulled.events.reduce((sum, event) => sum + bytesOf(event), 0)
  context.inFlight?.resize('response', bytes)
  return pulled
}

const selectPulled: Resolve<unknown, PulledEvents> = ({ events }, _args, context, info) => {
  const [select, budget] = [createSelect(context, info), budgetOf(context)]
  return events.map((event) => select(event, budget))
}

const acknowledge: Resolve<object> = (_root, args, context) =>
  acknowledgeEvents(context.sql, readerOf(context), args)

/** The stream keeps the catalogue of its start, also when event types change. */
const subscribe: Resolve<StreamRequest> = async (_root, args, context, info) => {
  selects.set(context, createSelect(context, info))
  return await followEvents(context, readerOf(context), args)
}

const selectStreamed: Resolve<unknown, StreamEvent> = (event, _args, context) =>
  selects.get(context)?.(event)

/** An event has up to 256 KiB. */
const OF_EVENT = { complexity: 2_500 }

/** What a pull gives counts as memory once it is known: while a pull waits, it must not hold up others. */
const OF_PULL = { complexity: { field: 1, multiplier: 1 } }

const STREAM_ROOTS = createSchema({
  typeDefs: [EVENT, STREAM_TYPES],
  resolvers: {
    Query: { event: { resolve: resolveEvent, extensions: OF_EVENT } },
    Mutation: {
      pullEvents: { resolve: resolvePull, extensions: OF_PULL },
      acknowledgeEvents: acknowledge,
    },
    PulledEvents: { events: selectPulled },
    ConsumerStart: { NOW: 'now', OLDEST: 'oldest' },
    Subscription: { events: { subscribe, resolve: selectStreamed, extensions: OF_EVENT } },
  },
})

type Select = (event: StreamEvent, budget?: WorkBudget) => Promise<object>

/** Of the subscriptions, each of which has one root field. */
const selects = new WeakMap<Context, Select>()

/** The events of one answer take as much work as two events may take. */
const MAX_STEPS_OF_ANSWER = 2 * MAX_STEPS

const budgets = new WeakMap<Context, WorkBudget>()

function budgetOf(context: Context): WorkBudget {
  const budget = budgets.get(context) ?? { left: MAX_STEPS_OF_ANSWER }
  budgets.set(context, budget)
  return budget
}

/** Takes of an event what a field of the type `Event` selects. Throws a `GraphQLError` if the selection is too large. */
function createSelect(context: Context, info: GraphQLResolveInfo): Select {
  const { fieldNodes: nodes } = info
  const plan = planEvent(info, nodes)
  const { organizationId } = context.caller
  const types = info.schema.getPossibleTypes(eventOf(info.schema))
  const typeNames = new Map(types.map((type) => [eventTypeOf(type), type.name]))
  return async (event, budget) => {
    const streamed = { ...event, cursor: printCursor(event) }
    try {
      const taken = await inTurn(
        organizationId,
        (left) => selectEvent(plan, streamed, left),
        budget,
      )
      // By this member, `graphql` finds the type.
      return Object.assign(taken, { __typename: typeNames.get(event.type) ?? OTHER_EVENT })
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error
      throw new GraphQLError(error.message, { nodes, extensions: { code: 'LIMIT_EXCEEDED' } })
    }
  }
}

function readerOf(context: Context): Reader {
  const [caller, signal] = [context.caller, context.signal()]
  return { ...subscriberOf(context), caller, actor: context.actor, signal }
}
