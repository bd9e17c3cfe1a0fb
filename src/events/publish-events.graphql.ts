import { builder } from '../graphql/builder.ts'
import type { Context } from '../graphql/context.ts'
import { ConflictError } from '../graphql/errors.ts'
import { mutation } from '../graphql/mutation.ts'
import type { NewEvent } from './check-event.ts'
import { findEventById } from './find-events.ts'
import {
  MAX_EVENTS_PER_CALL,
  onlyEvent,
  type PublishEvents,
  type PublishedEvent,
  publishFor,
} from './publish-events.ts'

declare module '../graphql/context.ts' {
  interface DomainDeps {
    readonly publishEvents: PublishEvents
  }
}

declare module '../graphql/builder.ts' {
  interface Inputs {
    PublishEventInput: EventInput
  }
}

interface EventInput extends Omit<NewEvent, 'occurredAt' | 'traceParent' | 'traceState'> {
  readonly timestamp?: Date | null | undefined
  readonly traceparent?: string | null | undefined
}

const PublishedEventRef = builder.objectRef<PublishedEvent>('PublishedEvent').implement({
  description: 'A published event.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the event: `evt_…`.' }),
    deliveryCount: t.exposeInt('deliveryCount', {
      description:
        'The number of deliveries: one per enabled webhook that subscribes to the type. 0 for a duplicate. If there are hundreds, they are created after this mutation returns, in the background.',
    }),
    duplicate: t.exposeBoolean('duplicate', {
      description: 'Whether this is the event of an earlier use of the idempotency key.',
    }),
    event: t.prismaField({
      type: 'Event',
      nullable: true,
      description: 'The event.',
      authScopes: { scope: 'events:read' },
      resolve: (query, { id }, _args, context) =>
        findEventById(context.prisma, context.caller.organizationId, id, query),
    }),
  }),
})

mutation('publishEvent', {
  description:
    'Publishes one event. When this mutation returns, the event is stored, and it is certain which webhooks get it.',
  scope: 'events:publish',
  input: {
    description: 'An event for every enabled webhook that subscribes to its type.',
    fields: (t) => ({
      type: t.string({
        required: true,
        description: 'The name of an event type in the catalogue.',
      }),
      data: t.field({
        type: 'JSON',
        description:
          'The payload: at most 256 KiB as JSON, in a request of at most 1 MiB. It must match the schema of the event type. It is sent as JavaScript prints its values: `10.50` as `10.5`, and names that are whole numbers before the others. Required unless there is a `dataText`.',
      }),
      dataText: t.string({
        description:
          'The payload as JSON text, in place of `data`. It is kept to the letter, without white space around it, as in SQL and by `posthorn publish`.',
      }),
      previous: t.field({
        type: 'JSON',
        description:
          'The whole payload as it was before the change that the event reports, for filters with `changed` and for receivers that ask for it. It must match the schema of the event type. `data` and `previous` together have at most 256 KiB. Null: not given.',
      }),
      previousText: t.string({
        description: 'The same as JSON text, in place of `previous`, kept to the letter.',
      }),
      timestamp: t.field({
        type: 'DateTime',
        description: 'When the event occurred. Default: now.',
      }),
      idempotencyKey: t.string({
        description:
          '1 to 255 characters, valid for 24 hours. Publishing the same event again, with the same type and the same texts of `data` and `previous`, returns the first event. Another type, other data or another order of the keys in them is a conflict. While another transaction uses the key, the request fails; retry after one second.',
      }),
      traceparent: t.string({
        description: 'The W3C trace context for receivers: `00-<32 hex>-<16 hex>-<2 hex>`.',
      }),
    }),
  },
  errors: [ConflictError],
  returns: ['publishedEvent', PublishedEventRef, 'The published event.'],
  run: ({ input }, context) => onlyEvent(publish(context, [input])),
})

mutation('publishEvents', {
  description: 'Publishes several events, or none if one of them is invalid.',
  scope: 'events:publish',
  input: {
    description: 'Events to publish in one transaction.',
    fields: (t) => ({
      events: t.field({
        type: ['PublishEventInput'],
        required: true,
        description: `1 to ${MAX_EVENTS_PER_CALL.toLocaleString('en')} events, in a request of at most 1 MiB.`,
      }),
    }),
  },
  errors: [ConflictError],
  returns: [
    'publishedEvents',
    [PublishedEventRef],
    'The published events, in the order of the input.',
  ],
  run: ({ input: { events } }, context) => publish(context, events),
})

const publish = (context: Context, inputs: readonly EventInput[]) =>
  publishFor(
    context,
    inputs.map(({ timestamp = null, traceparent = null, ...event }) => ({
      ...event,
      occurredAt: timestamp,
      traceParent: traceparent,
    })),
  )
