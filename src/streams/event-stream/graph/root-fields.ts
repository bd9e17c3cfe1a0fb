import { GraphQLError, type GraphQLFieldResolver, type GraphQLResolveInfo } from 'graphql'
import { createGraphQLError } from 'graphql-yoga'
import { eventOf } from '../../../bodies/event-graph/event-schema.ts'
import { eventTypeOf, OTHER_EVENT } from '../../../bodies/event-graph/event-types.ts'
import { planEvent, selectionSetsOf } from '../../../bodies/event-graph/plan-selection.ts'
import { selectEvent } from '../../../bodies/event-graph/select-event.ts'
import { parseId } from '../../../db/ids.ts'
import { type Context, callerOf } from '../../../graphql/context.ts'
import { subscriberOf } from '../../../graphql/live-stream.ts'
import type { InFlight } from '../../../http/connection.ts'
import { inTurn } from '../../../lib/in-turn.ts'
import { MAX_STEPS, OverBudget, type WorkBudget } from '../../../lib/work-budget.ts'
import type { ConsumerStart } from '../consumers/consumer.ts'
import {
  acknowledgeEvents,
  type PulledEvents,
  type PullRequest,
  pullEvents,
} from '../consumers/pull-events.ts'
import { printCursor } from '../cursor.ts'
import { followEvents, type Reader, type StreamRequest, scopeOf } from '../follow-events.ts'
import { bytesOf, findEvent, type StreamEvent } from '../read-stream.ts'

interface EventContext extends Context {
  readonly inFlight?: InFlight
}

type Resolve<Args, Source = unknown> = GraphQLFieldResolver<Source, EventContext, Args>

const resolveEvent: Resolve<{ readonly id: string }> = async (_root, args, context, info) => {
  const uuid = parseId('event', args.id)
  const scope = scopeOf(callerOf(context), null)
  const event = uuid && (await findEvent(context.sql, scope, uuid))
  return event ? await createSelect(context, info)(event, budgetOf(context)) : null
}

type PullArguments = Omit<PullRequest, 'from'> & { readonly from?: string | null }

const resolvePull: Resolve<PullArguments> = async (_root, args, context) => {
  const from = args.from?.toLowerCase() as ConsumerStart | undefined
  const pulled = await pullEvents(context, readerOf(context), { ...args, from })
  const bytes = pulled.events.reduce((sum, event) => sum + bytesOf(event), 0)
  context.inFlight?.resize('response', bytes)
  return pulled
}

const selectPulled: Resolve<unknown, PulledEvents> = ({ events }, _args, context, info) => {
  const [select, budget] = [createSelect(context, info), budgetOf(context)]
  return events.map((event) => select(event, budget))
}

const acknowledge: Resolve<{ readonly consumer: string; readonly lease: string }> = (
  _root,
  { consumer, lease },
  context,
) => acknowledgeEvents(context.sql, readerOf(context), consumer, lease)

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

/** The resolvers and complexities of the fields, by type. */
export const ROOT_FIELDS = {
  Query: { event: { resolve: resolveEvent, extensions: OF_EVENT } },
  Mutation: {
    pullEvents: { resolve: resolvePull, extensions: OF_PULL },
    acknowledgeEvents: { resolve: acknowledge },
  },
  PulledEvents: { events: { resolve: selectPulled } },
  Subscription: {
    events: { subscribe, resolve: selectStreamed, extensions: OF_EVENT },
  },
}

type Select = (event: StreamEvent, budget?: WorkBudget) => Promise<object>

/** Of the subscriptions, each of which has one root field. */
const selects = new WeakMap<EventContext, Select>()

/** The events of one answer take as much work as two events may take. */
const MAX_STEPS_OF_ANSWER = 2 * MAX_STEPS

const budgets = new WeakMap<EventContext, WorkBudget>()

function budgetOf(context: EventContext): WorkBudget {
  const budget = budgets.get(context) ?? { left: MAX_STEPS_OF_ANSWER }
  budgets.set(context, budget)
  return budget
}

/** Takes of an event what a field of the type `Event` selects. Throws a `GraphQLError` if the selection is too large. */
function createSelect(context: EventContext, info: GraphQLResolveInfo): Select {
  const { fieldNodes: nodes } = info
  const plan = planEvent(info, selectionSetsOf(nodes))
  const { organizationId } = callerOf(context)
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
  const subscriber = subscriberOf(context)
  return {
    ...subscriber,
    caller: callerOf(context),
    actor: context.actor,
    signal: context.signal(),
    toError: (reason) =>
      reason === 'missed too much' ? eventsAreGone() : subscriber.toError(reason),
  }
}

function eventsAreGone(): Error {
  return createGraphQLError(
    'Events after this cursor are no longer kept (POSTHORN_RETENTION). Subscribe without `after`, and load what the client shows again.',
    { extensions: { code: 'RELOAD_REQUIRED' } },
  )
}
