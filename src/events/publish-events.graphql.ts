import { builder } from '../graphql/builder.ts'
import { type Context, callerOf } from '../graphql/context.ts'
import { ConflictError, ValidationError } from '../graphql/errors.ts'
import { DomainError, invalid } from '../lib/errors.ts'
import { findPublishedEvent } from './find-events.ts'
import type { NewEvent } from './new-event.ts'
import { MAX_EVENTS_PER_CALL, type PublishEvents, type PublishedEvent } from './publish-events.ts'

declare module '../graphql/builder.ts' {
  interface Objects {
    PublishedEvent: PublishedEvent
  }
}

declare module '../graphql/context.ts' {
  interface DomainDeps {
    readonly publishEvents: PublishEvents
  }
}

const PublishEventInput = builder.inputType('PublishEventInput', {
  description:
    'Something that happened, to be told to every enabled webhook that subscribes to its type.',
  fields: (t) => ({
    type: t.string({ required: true, description: 'The name of an event type in the catalogue.' }),
    data: t.field({
      type: 'JSON',
      required: true,
      description:
        'The payload: at most 256 KiB as JSON, in a request of at most 1 MiB, and as the schema of the type has it.',
    }),
    timestamp: t.field({ type: 'DateTime', description: 'When it occurred. Default: now.' }),
    idempotencyKey: t.string({
      description:
        '1 to 255 characters, remembered for 24 hours: publishing the same event again with it answers with the first one. While another transaction is using it, you are told to try again after a second.',
    }),
    traceparent: t.string({
      description: 'The W3C trace context to send on: `00-<32 hex>-<16 hex>-<2 hex>`.',
    }),
  }),
})

const PublishEventsInput = builder.inputType('PublishEventsInput', {
  description: 'Events to publish together.',
  fields: (t) => ({
    events: t.field({
      type: [PublishEventInput],
      required: true,
      description: `1 to ${MAX_EVENTS_PER_CALL.toLocaleString('en')} events, in a request of at most 1 MiB.`,
    }),
  }),
})

builder.objectType('PublishedEvent', {
  description: 'An event that was accepted.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the event: `evt_…`.' }),
    deliveryCount: t.exposeInt('deliveryCount', {
      description:
        'How many deliveries it made: one for each enabled webhook that subscribes to its type. 0 for a duplicate.',
    }),
    duplicate: t.exposeBoolean('duplicate', {
      description:
        'Whether the idempotency key was used before, so that this is the event of its first use.',
    }),
    event: t.prismaField({
      type: 'Event',
      nullable: true,
      description: 'The event. Needs the scope `events:read`.',
      authScopes: { scope: 'events:read' },
      resolve: (query, { id }, _args, { prisma }) => findPublishedEvent(prisma, id, query),
    }),
  }),
})

builder.mutationFields((t) => ({
  publishEvent: t.field({
    type: 'PublishedEvent',
    nullable: true,
    description:
      'Publishes one event. Once this answers, it and its deliveries are stored. Needs the scope `events:publish`.',
    authScopes: { scope: 'events:publish' },
    errors: {
      types: [ValidationError, ConflictError],
      dataField: { name: 'publishedEvent', description: 'What was published.' },
      result: { description: 'The event was published.' },
      union: { description: 'What `publishEvent` answers with.' },
    },
    args: { input: t.arg({ type: PublishEventInput, required: true, description: 'The event.' }) },
    resolve: async (_root, { input }, context) => {
      const [published] = await publish(context, [newEvent(input)]).catch(rethrowForOne)
      return published as PublishedEvent
    },
  }),

  publishEvents: t.field({
    type: ['PublishedEvent'],
    nullable: true,
    description:
      'Publishes all the events or, when anything is wrong with one of them, none. Needs the scope `events:publish`.',
    authScopes: { scope: 'events:publish' },
    errors: {
      types: [ValidationError, ConflictError],
      dataField: {
        name: 'publishedEvents',
        description: 'What was published, in the order given.',
      },
      result: { description: 'The events were published.' },
      union: { description: 'What `publishEvents` answers with.' },
    },
    args: {
      input: t.arg({ type: PublishEventsInput, required: true, description: 'The events.' }),
    },
    resolve: (_root, { input: { events } }, context) => publish(context, events.map(newEvent)),
  }),
}))

async function publish(context: Context, events: readonly NewEvent[]): Promise<PublishedEvent[]> {
  spend(context, events.length)
  return await context.publishEvents(callerOf(context).organizationId, events)
}

/** Takes events from the budget of the caller's key; too many for one call are none. */
function spend(context: Context, count: number): void {
  const amount = count > MAX_EVENTS_PER_CALL ? 1 : count
  context.quota.spend(callerOf(context), 'events', amount)
}

function newEvent({
  timestamp,
  traceparent,
  ...event
}: typeof PublishEventInput.$inferInput): NewEvent {
  return {
    type: event.type,
    data: event.data,
    occurredAt: timestamp ?? null,
    idempotencyKey: event.idempotencyKey ?? null,
    traceParent: traceparent ?? null,
  }
}

/** The domain publishes lists; of a list of one, the path in the input begins at the event. */
function rethrowForOne(error: unknown): never {
  if (!(error instanceof DomainError)) throw error
  const issues = error.issues.map((issue) => ({ ...issue, path: issue.path.slice(2) }))
  if (error.code === 'invalid') throw invalid(issues)
  throw new DomainError(error.code, error.message, { issues, cause: error })
}
