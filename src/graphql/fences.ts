import type { Caller } from '../access/scope.ts'
import { parseId, publicId } from '../db/ids.ts'
import { filterByWebhook, type WebhookOwnedKind } from '../deliveries/filter-by-webhook.ts'
import { DomainError, notFound } from '../lib/errors.ts'
import type { Context } from './context.ts'

/** The arguments of a field. */
// biome-ignore lint/suspicious/noExplicitAny: of whichever field, as its resolver takes them
export type Args = any

/** A caller who is restricted to one webhook, by its uuid. */
export interface Fenced {
  readonly webhookId: string
  readonly caller: Caller
  readonly context: Context
}

/** What the field is answered with instead, to somebody who asked for what is not of their webhook. */
export const NOTHING = Symbol('nothing')

/** Answers the arguments that the field is resolved with, or `NOTHING`; or throws. */
export type Fence = (args: Args, fenced: Fenced) => Args | Promise<Args | typeof NOTHING>

/** Nothing needs to be done. */
export const open: Fence = (args) => args

/**
 * What a portal session that is restricted to one webhook may ask for, and how it is kept to that. Whatever is not
 * here, of the types in `FENCED_TYPES` too, is closed to it: a new field is, until somebody has thought about it.
 */
export const FENCES: Readonly<Record<string, Fence>> = {
  'Query.viewer': open,
  'Query.eventTypes': open,
  'Query.node': async (args, fenced) => {
    const [id] = await onlyNodesWithin([args.id], fenced)
    return { ...args, id }
  },
  'Query.nodes': async (args, fenced) => ({
    ...args,
    ids: await onlyNodesWithin(args.ids, fenced),
  }),
  'Query.webhook': reads('webhook'),
  'Query.delivery': reads('delivery'),
  'Query.event': reads('event'),
  'Query.recovery': reads('recovery'),
  'Query.webhooks': (args, { webhookId }) => ({
    ...args,
    filter: { ...args.filter, uuid: webhookId },
  }),
  'Query.deliveries': ofOwnDeliveries,

  'Mutation.updateWebhook': changes('webhook'),
  'Mutation.deleteWebhook': changes('webhook'),
  'Mutation.resumeWebhook': changes('webhook'),
  'Mutation.rotateSigningSecret': changes('webhook', ({ webhookId }) => webhookId),
  'Mutation.testDelivery': changes('webhook', ({ webhookId }) => webhookId),
  'Mutation.recoverDeliveries': changes('webhook', ({ input }) => input.webhookId),
  'Mutation.redeliver': changes('delivery'),
  'Mutation.cancelDelivery': changes('delivery'),
  'Mutation.cancelRecovery': changes('recovery'),

  'Subscription.attemptMade': ofOwnStream,
  'Subscription.deliveryFinished': ofOwnStream,
  'Subscription.webhookHealthChanged': ofOwnStream,

  'Event.deliveries': ofOwnDeliveries,
  ...openFields('Event', 'id type occurredAt publishedAt data body isTest traceparent'),
  ...openFields('Viewer', 'organization apiKey scopes portal'),
  ...openFields('PortalViewer', 'webhookId expiresAt'),
  ...openFields('Organization', 'id name createdAt'),
  ...openFields(
    'ApiKey',
    'id organization name tokenHint scopes createdAt expiresAt revokedAt lastUsedAt requestsPerSecond eventsPerSecond',
  ),
  ...openFields('EventType', 'id name description schema example createdAt updatedAt archivedAt'),
}

/** The types that say more than what concerns one webhook: each of their fields is closed unless it is listed above. */
export const FENCED_TYPES: ReadonlySet<string> = new Set([
  'Query',
  'Mutation',
  'Subscription',
  'Event',
  'Viewer',
  'PortalViewer',
  'Organization',
  'ApiKey',
  'EventType',
])

function openFields(type: string, names: string): Record<string, Fence> {
  return Object.fromEntries(names.split(' ').map((name) => [`${type}.${name}`, open]))
}

type Kind = 'webhook' | Exclude<WebhookOwnedKind, 'attempt'>

/** A field that finds one thing by its id, and nothing where that is not of the webhook. */
function reads(kind: Kind): Fence {
  return async (args, fenced) => ((await isWithin(kind, args.id, fenced)) ? args : NOTHING)
}

/** A field that changes one thing by its id. */
function changes(kind: Kind, idOf: (args: Args) => string = ({ id }) => id): Fence {
  return async (args, fenced) => {
    const id = idOf(args)
    if (!(await isWithin(kind, id, fenced))) throw notFound(kind, id)
    return args
  }
}

function ofOwnDeliveries(args: Args, fenced: Fenced): Args {
  const { filter } = args
  return { ...args, filter: { ...filter, webhookId: ownWebhook(filter?.webhookId, fenced) } }
}

function ofOwnStream(args: Args, fenced: Fenced): Args {
  return { ...args, webhookId: ownWebhook(args.webhookId, fenced) }
}

/** The id of the webhook, for somebody who named it or none. */
function ownWebhook(given: string | null | undefined, { webhookId }: Fenced): string {
  const own = publicId('webhook', webhookId)
  if (given == null || given === own) return own
  throw new DomainError(
    'forbidden',
    `This session is restricted to the webhook ${own}. Leave webhookId out, or give that one.`,
  )
}

async function isWithin(kind: Kind, id: string, { webhookId, context }: Fenced): Promise<boolean> {
  const uuid = parseId(kind, id)
  if (!uuid) return false
  if (kind === 'webhook') return uuid === webhookId
  return (await filterByWebhook(context.sql, webhookId, kind, [uuid])).has(uuid)
}

interface NodeId {
  readonly typename: string
  readonly id: string
}

/** The name of no event type: nothing is found by it. */
const NO_NODE: NodeId = { typename: 'EventType', id: '' }

const KINDS_WITHIN: Readonly<Record<string, WebhookOwnedKind>> = {
  Delivery: 'delivery',
  Attempt: 'attempt',
  Recovery: 'recovery',
  Event: 'event',
}

async function onlyNodesWithin(
  ids: readonly NodeId[],
  { webhookId, caller, context }: Fenced,
): Promise<NodeId[]> {
  const own = { Webhook: webhookId, ApiKey: caller.keyId, Organization: caller.organizationId }
  const within = new Set(Object.entries(own).map((entry) => entry.join(' ')))
  for (const [typename, kind] of Object.entries(KINDS_WITHIN)) {
    const uuids = ids.flatMap((node) => (node.typename === typename ? node.id : []))
    for (const uuid of await filterByWebhook(context.sql, webhookId, kind, uuids)) {
      within.add(`${typename} ${uuid}`)
    }
  }
  return ids.map((node) =>
    node.typename === 'EventType' || within.has(`${node.typename} ${node.id}`) ? node : NO_NODE,
  )
}
