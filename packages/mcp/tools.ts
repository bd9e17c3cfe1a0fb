import { z } from 'zod'
import * as documents from './documents.ts'
import { readTool, type Tool, writeTool } from './tool.ts'

const ID = (kind: string, prefix: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`), `Give the id of ${kind}: ${prefix}_….`)
    .describe(`The id of ${kind}: ${prefix}_….`)

const webhookId = ID('a webhook', 'wh')
const deliveryId = ID('a delivery', 'msg')
const eventId = ID('an event', 'evt')

const eventType = z.string().min(1).max(256).describe('A name, such as invoice.paid.')
const time = z.iso
  .datetime({ offset: true })
  .describe('An RFC 3339 time, such as 2026-01-31T12:00:00Z.')
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(20)

const RANGE = {
  since: time.describe('At or after this RFC 3339 time.').optional(),
  until: time.describe('Before this RFC 3339 time.').optional(),
}

const ATTEMPT_FILTER = z.strictObject({
  ...RANGE,
  webhookIds: listOf(webhookId).optional(),
  causes: listOf(z.string().max(64))
    .optional()
    .describe('HTTP statuses such as "502", or error codes such as response_timed_out.'),
  statusClasses: listOf(
    z.enum([
      'SUCCESS_2XX',
      'REDIRECTION_3XX',
      'CLIENT_ERROR_4XX',
      'SERVER_ERROR_5XX',
      'NO_RESPONSE',
    ]),
  ).optional(),
})

const DELIVERY_FILTER = z.strictObject({
  ...RANGE,
  webhookIds: listOf(webhookId).optional(),
  states: listOf(
    z.enum(['QUEUED', 'RETRYING', 'WAITING', 'SUCCEEDED', 'EXHAUSTED', 'CANCELED']),
  ).optional(),
  eventTypes: listOf(eventType).optional(),
  anyAttempt: ATTEMPT_FILTER.optional().describe('With an attempt that matches.'),
})

const PAGE = {
  first: z.number().int().min(1).max(50).default(20).describe('The number of items: 1 to 50.'),
  after: z
    .string()
    .max(1_000)
    .optional()
    .describe('The nextCursor of an earlier call with the same arguments.'),
}

/** Every tool, in the order of the list. An input is the variables of its document. */
export const TOOLS: readonly Tool[] = [
  readTool({
    name: 'find_webhooks',
    title: 'Find webhooks',
    description:
      'Finds webhooks by state and text, with their health, backlog and last failure. Those that need attention come first.',
    scopes: ['webhooks:read', 'deliveries:read'],
    input: z.object({
      filter: z
        .strictObject({
          states: listOf(
            z.enum([
              'FAILING',
              'ON_HOLD',
              'BEHIND',
              'DEGRADED',
              'HEALTHY',
              'DISABLED',
              'NO_DELIVERIES',
            ]),
          ).optional(),
          search: z.string().max(200).optional().describe('A part of URL, description or uid.'),
        })
        .optional(),
      ...PAGE,
    }),
    read: (variables) => ({ query: documents.WEBHOOKS, variables }),
  }),
  readTool({
    name: 'find_deliveries',
    title: 'Find deliveries',
    description: 'Finds deliveries by webhook, state, event type, time and attempts, newest first.',
    scopes: ['deliveries:read'],
    input: z.object({ filter: DELIVERY_FILTER.optional(), ...PAGE }),
    read: (variables) => ({ query: documents.DELIVERIES, variables }),
  }),
  readTool({
    name: 'find_attempts',
    title: 'Find attempts',
    description:
      'Finds attempts with the responses of the endpoints, newest first: of one delivery, or by webhook, cause, status and time.',
    scopes: ['deliveries:read'],
    input: z.object({
      deliveryId: deliveryId.optional().describe('One delivery. The filter then does not count.'),
      filter: ATTEMPT_FILTER.optional(),
      ...PAGE,
    }),
    read: ({ deliveryId: id, filter, ...page }) =>
      id === undefined
        ? { query: documents.ATTEMPTS, variables: { filter, ...page } }
        : { query: documents.ATTEMPTS_OF_DELIVERY, variables: { deliveryId: id, ...page } },
  }),
  readTool({
    name: 'find_events',
    title: 'Find events',
    description:
      'Finds published events by id, type, time or search key, newest first, with the number of their deliveries by state.',
    scopes: ['events:read'],
    input: z.object({
      filter: z
        .strictObject({
          ...RANGE,
          id: eventId.optional(),
          type: eventType.optional(),
          key: z
            .strictObject({
              path: z.string().max(256).describe('A search key, such as $.invoice.id.'),
              equals: z.string().max(200),
            })
            .optional(),
        })
        .optional(),
      withPayload: z.boolean().default(false).describe('Whether to return whole payloads.'),
      ...PAGE,
    }),
    read: (variables) => ({ query: documents.EVENTS, variables }),
  }),
  readTool({
    name: 'why_not_delivered',
    title: 'Why was an event not delivered?',
    description:
      'Says why a webhook did not receive an event: the reason why there is no delivery, or the delivery with its last attempts, and the webhook with its health.',
    scopes: ['deliveries:read'],
    input: z.object({ eventId, webhookId }),
    read: (variables) => ({ query: documents.WHY_NOT_DELIVERED, variables }),
  }),
  readTool({
    name: 'health',
    title: 'Health',
    description:
      'Shows the health of all deliveries: the webhooks by state, those in trouble, what waits and why, and the last bulk tasks with their progress.',
    scopes: ['webhooks:read', 'deliveries:read'],
    input: z.object({}),
    read: () => ({ query: documents.HEALTH, variables: {} }),
  }),
  writeTool({
    name: 'redeliver',
    title: 'Redeliver',
    description:
      'Sends deliveries again with the same id: those with the ids at once, or in the background all that match the filter, by default of RETRYING and EXHAUSTED ones.',
    scopes: ['deliveries:write', 'deliveries:read'],
    input: z.object({
      ids: listOf(deliveryId).optional().describe('Give either ids or filter.'),
      filter: DELIVERY_FILTER.optional(),
    }),
    read: (input) => ({
      query: documents.REDELIVER,
      variables: { input: { ...input, dryRun: true } },
    }),
    change: (input) => ({ query: documents.REDELIVER, variables: { input } }),
  }),
  writeTool({
    name: 'send_test_event',
    title: 'Send a test event',
    description:
      'Sends the example of an event type to one webhook, marked as a test, once and without retries. find_attempts then shows the result.',
    scopes: ['deliveries:write', 'deliveries:read', 'webhooks:read'],
    input: z.object({ webhookId, eventType }),
    read: ({ webhookId: id }) => ({ query: documents.WEBHOOK_BEFORE, variables: { id } }),
    change: ({ webhookId: id, eventType: type }) => ({
      query: documents.SEND_TEST_EVENT,
      variables: { id, eventType: type },
    }),
  }),
  writeTool({
    name: 'resume_webhook',
    title: 'Resume a webhook',
    description:
      'Ends the hold of a webhook, so that its backlog is sent. Do it after the cause of the failures is fixed.',
    scopes: ['deliveries:write', 'deliveries:read', 'webhooks:read'],
    input: z.object({ webhookId }),
    read: ({ webhookId: id }) => ({ query: documents.WEBHOOK_BEFORE, variables: { id } }),
    change: ({ webhookId: id }) => ({ query: documents.RESUME, variables: { id } }),
  }),
]
