import { z } from 'zod'
import { choicesRule, MAX_CHOICES } from '../graphql/arguments.ts'
import { builder } from '../graphql/builder.ts'
import { DeliveryState } from '../webhooks/delivery-enums.ts'
import { MIN_SLOW_MS } from './attempts/attempt-filter.ts'
import { MAX_ATTEMPTS_SEARCHED, MAX_EVENTS_SEARCHED } from './delivery-filter.ts'
import { deliveryState } from './delivery-state.ts'
import type { AttemptFilterInput, DeliveryFilterInput } from './read-filters.ts'

declare module '../graphql/builder.ts' {
  interface Inputs {
    AttemptFilter: AttemptFilterInput
    DeliveryFilter: DeliveryFilterInput
  }
}

builder.prismaObjectFields('Delivery', (t) => ({
  state: t.field({
    type: DeliveryState,
    description: 'The state of the delivery.',
    select: { state: true, attemptCount: true, parkedAt: true },
    resolve: deliveryState,
  }),
}))

const StatusClass = builder.enumType('StatusClass', {
  description: 'The class of an HTTP status code.',
  values: {
    SUCCESS_2XX: { value: 2, description: '2xx: success.' },
    REDIRECTION_3XX: { value: 3, description: '3xx: failure. Redirects are not followed.' },
    CLIENT_ERROR_4XX: { value: 4, description: '4xx: the receiver rejected the request.' },
    SERVER_ERROR_5XX: {
      value: 5,
      description: '5xx, or a status code outside HTTP: the receiver failed.',
    },
    NO_RESPONSE: { value: 0, description: 'No response: a timeout or a connection error.' },
  } as const,
})

const MAX_CAUSES = 20

/** Every cause is one range of an index. */
const causesRule = z
  .array(
    z.string().regex(/^[0-9a-z_]{1,64}$/, 'must be an HTTP status or an error code, such as "502"'),
  )
  .min(1, 'must not be empty; omit it to match all')
  .max(MAX_CAUSES, `must have at most ${MAX_CAUSES} entries`)
  .nullish()

/** Faster attempts are in no index of durations. */
const minDurationRule = z
  .int()
  .min(MIN_SLOW_MS, `must be at least ${MIN_SLOW_MS.toLocaleString('en')}`)
  .nullish()

builder.inputType('AttemptFilter', {
  description: 'Selects attempts. An attempt must match all given fields.',
  fields: (t) => ({
    webhookIds: t.idList({
      description: `Attempts for one of these webhooks, deleted or not. At most ${MAX_CHOICES}.`,
      validate: choicesRule,
    }),
    statusClasses: t.field({
      type: [StatusClass],
      description: 'Attempts with a response of one of these classes.',
      validate: choicesRule,
    }),
    causes: t.stringList({
      description:
        'Failed attempts with one of these causes: HTTP statuses such as `"502"`, and error codes such as `"response_timed_out"`. At most 20.',
      validate: causesRule,
    }),
    minDurationMs: t.int({
      description: `Attempts that lasted as long, in milliseconds: ${MIN_SLOW_MS.toLocaleString('en')} or more.`,
      validate: minDurationRule,
    }),
    since: t.field({
      type: 'DateTime',
      description: 'Attempts that were recorded, when they ended, at or after this time.',
    }),
    until: t.field({ type: 'DateTime', description: 'Attempts recorded before this time.' }),
  }),
})

builder.inputType('DeliveryFilter', {
  description: 'Selects deliveries. A delivery must match all given fields.',
  fields: (t) => ({
    states: t.field({
      type: [DeliveryState],
      description: 'Deliveries in one of these states.',
      validate: choicesRule,
    }),
    statusClasses: t.field({
      type: [StatusClass],
      description: 'Deliveries whose last attempt had a response of one of these classes.',
      validate: choicesRule,
    }),
    webhookIds: t.idList({
      description: `Deliveries to one of these webhooks, deleted or not. At most ${MAX_CHOICES}.`,
      validate: choicesRule,
    }),
    eventTypes: t.stringList({
      description: `Deliveries of the event types with these names. At most ${MAX_CHOICES}.`,
      validate: choicesRule,
    }),
    key: t.field({
      type: 'SearchKeyFilter',
      description: `Deliveries of events with this value: of the newest ${MAX_EVENTS_SEARCHED.toLocaleString('en')} such events. Only for lists. Needs the scope \`events:read\`.`,
    }),
    since: t.field({ type: 'DateTime', description: 'Deliveries created at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Deliveries created before this time.' }),
    anyAttempt: t.field({
      type: 'AttemptFilter',
      description: `Deliveries with at least one attempt that matches. Searches the newest ${MAX_ATTEMPTS_SEARCHED.toLocaleString('en')} attempts that match; \`attempts\` lists all.`,
    }),
  }),
})
