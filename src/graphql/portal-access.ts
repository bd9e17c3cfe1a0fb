import type { GraphQLSchema } from 'graphql'
import type { Caller } from '../access/scope.ts'
import { publicId } from '../db/ids.ts'
import { DomainError, notFound } from '../lib/errors.ts'
import type { Context } from './context.ts'
import { decodeNodeId } from './node-id.ts'

/** A portal session that is restricted to one webhook. */
export interface RestrictedSession {
  /** The uuid of its webhook. */
  readonly webhookId: string
  readonly caller: Caller
  readonly context: Context
  readonly schema: GraphQLSchema
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments of any field, as its resolver takes them
type Args = any

/** The field resolves to null: the caller asks for something outside the webhook of the session. */
export const NOTHING = Symbol('nothing')

/**
 * What a field is to a restricted session, as its option `portal` declares. `open` changes nothing. A function answers
 * the arguments to resolve the field with, or `NOTHING`, or throws.
 */
export type PortalAccess =
  | 'open'
  | ((args: Args, session: RestrictedSession) => Args | Promise<Args | typeof NOTHING>)

/**
 * Of the rows of a node type, those that belong to the webhook of a session. A node type declares it as
 * `extensions.ofWebhook`; without one, no row belongs to a webhook.
 */
export type OfWebhook = (
  session: RestrictedSession,
  uuids: readonly string[],
) => ReadonlySet<string> | Promise<ReadonlySet<string>>

/** A field that finds one node by its argument `id`: null outside the webhook. */
export const findsNode: PortalAccess = async (args, session) =>
  (await belongs(args.id, session)) ? args : NOTHING

/** A field that changes one node, by the id in its arguments: not found outside the webhook. */
export function changesNode(
  name: string,
  idOf: (args: Args) => string = ({ id }) => id,
): PortalAccess {
  return async (args, session) => {
    const id = idOf(args)
    if (!(await belongs(id, session))) throw notFound(name, id)
    return args
  }
}

/** A list with the argument `filter.webhookId`: it is set to the webhook. */
export const filtersByWebhook: PortalAccess = (args, session) => {
  const { filter } = args
  return { ...args, filter: { ...filter, webhookId: ownWebhook(filter?.webhookId, session) } }
}

/** A stream with the argument `webhookId`: it is set to the webhook. */
export const streamsOfWebhook: PortalAccess = (args, session) => ({
  ...args,
  webhookId: ownWebhook(args.webhookId, session),
})

/** The field `node`: ids outside the webhook find nothing. */
export const findsAnyNode: PortalAccess = async (args, session) => {
  const [id] = await onlyOfWebhook([args.id], session)
  return { ...args, id }
}

/** The field `nodes`: ids outside the webhook find nothing. */
export const findsAnyNodes: PortalAccess = async (args, session) => ({
  ...args,
  ids: await onlyOfWebhook(args.ids, session),
})

/** The public id of the webhook, for a caller who names it or no webhook. */
function ownWebhook(given: string | null | undefined, { webhookId }: RestrictedSession): string {
  const own = publicId('webhook', webhookId)
  if (given == null || given === own) return own
  throw new DomainError(
    'forbidden',
    `This session is restricted to the webhook ${own}. Leave webhookId out, or give that one.`,
  )
}

interface NodeId {
  readonly typename: string
  readonly id: string
}

/** The id of no node: an event type whose name is empty. */
const NO_NODE: NodeId = { typename: 'EventType', id: '' }

async function belongs(id: string, session: RestrictedSession): Promise<boolean> {
  const node = decodeNodeId(id)
  const [found] = await onlyOfWebhook([node], session)
  return found === node
}

/** The ids in their order, with `NO_NODE` for each that is outside the webhook. */
async function onlyOfWebhook(
  ids: readonly NodeId[],
  session: RestrictedSession,
): Promise<NodeId[]> {
  const belonging = new Map<string, ReadonlySet<string>>()
  for (const typename of new Set(ids.map((node) => node.typename))) {
    const ofType = ids.flatMap((node) => (node.typename === typename ? node.id : []))
    belonging.set(typename, await nodesOfWebhook(typename, ofType, session))
  }
  return ids.map((node) => (belonging.get(node.typename)?.has(node.id) ? node : NO_NODE))
}

function nodesOfWebhook(typename: string, uuids: readonly string[], session: RestrictedSession) {
  const extensions = session.schema.getType(typename)?.extensions as
    | { readonly ofWebhook?: OfWebhook }
    | undefined
  return extensions?.ofWebhook?.(session, uuids) ?? new Set<string>()
}
