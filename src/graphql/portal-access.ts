import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql'
import type { Caller } from '../auth/access/scope.ts'
import { type IdKind, nounOf, publicId } from '../db/ids.ts'
import { selectIds } from '../db/select-ids.ts'
import { DomainError, notFound } from '../lib/errors.ts'
import type { Context } from './context.ts'
import { decodeNodeId } from './node-id.ts'

/** A portal or frontend session that is restricted to one webhook. */
export interface RestrictedSession {
  /** The uuid of its webhook. */
  readonly webhookId: string
  readonly caller: Caller
  readonly context: Context
  readonly schema: GraphQLSchema
}

// biome-ignore lint/suspicious/noExplicitAny: the arguments of any field
type Args = any

/**
 * The access of a restricted session to a field, declared with the option `portal`. `open` changes nothing. A
 * function returns the arguments to resolve the field with, or throws.
 */
export type PortalAccess =
  | 'open'
  | 'closed'
  | ((args: Args, session: RestrictedSession) => Args | Promise<Args>)

/** Limits a portal or frontend session that is restricted to one webhook to it. */
export function restrictTo<Parent, Ctx>(
  access: Exclude<PortalAccess, 'open'>,
  resolve: GraphQLFieldResolver<Parent, Ctx, Args>,
): GraphQLFieldResolver<Parent, Ctx, Args> {
  return async (parent, args, context, info) => {
    const { caller } = context as Context
    const webhookId = caller.session?.webhookId
    if (webhookId == null) return resolve(parent, args, context, info)
    if (access === 'closed') {
      throw new DomainError(
        'forbidden',
        `This session is restricted to the webhook ${publicId('webhook', webhookId)}, and ${info.parentType.name}.${info.fieldName} covers more than that webhook.`,
      )
    }
    const session = { webhookId, caller, context: context as Context, schema: info.schema }
    return resolve(parent, await access(args, session), context, info)
  }
}

/**
 * Selects the rows of a node type that belong to the webhook of a session. A node type declares this function as
 * `extensions.ofWebhook`. Without one, none of its rows belongs to a webhook.
 */
export type OfWebhook = (
  session: RestrictedSession,
  uuids: readonly string[],
) => ReadonlySet<string> | Promise<ReadonlySet<string>>

/** `OfWebhook` for a node type whose table has the id of the webhook. */
export const rowsOfWebhook =
  (table: string): OfWebhook =>
  ({ webhookId, context }, uuids) =>
    selectIds(
      context.sql,
      `select id from posthorn.${table} where webhook_id = $1 and id = any ($2::uuid[])`,
      [webhookId, uuids],
    )

/** For a field that finds a node by the argument `id`: null for a node outside the webhook. */
export const findsNode: PortalAccess = async (args, session) =>
  (await belongs(args.id, session)) ? args : { ...args, id: '' }

/** For a field that finds a webhook by `id` or `uid`: null for another webhook, of which `only` keeps a uid. */
export const findsWebhook: PortalAccess = async (args, session) => {
  if (typeof args.id === 'string') return await findsNode(args, session)
  return { ...args, only: session.webhookId }
}

/** For a field that changes the node with the argument `id`: `not_found` for a node outside the webhook. */
export function changesNode(kind: IdKind): PortalAccess {
  return async (args, session) => {
    if (!(await belongs(args.id, session))) throw notFound(nounOf(kind), args.id)
    return args
  }
}

/** For a field with the argument `filter.webhookIds`: sets the argument to the webhook. */
export const filtersByWebhook: Exclude<PortalAccess, string> = (args, session) => {
  const given: readonly string[] = args.filter?.webhookIds ?? []
  const own = ownWebhook(null, session)
  if (!given.includes(own)) ownWebhook(given[0], session)
  return { ...args, filter: { ...args.filter, webhookIds: [own] } }
}

/** For a field with the argument `filter.webhookId`: sets the argument to the webhook. */
export const filtersByOneWebhook: PortalAccess = (args, session) => {
  const { filter } = args
  return { ...args, filter: { ...filter, webhookId: ownWebhook(filter?.webhookId, session) } }
}

/** For a subscription with the argument `webhookId`: sets the argument to the webhook. */
export const streamsOfWebhook: PortalAccess = (args, session) => ({
  ...args,
  webhookId: ownWebhook(args.webhookId, session),
})

/** For the fields `node` and `nodes`: null for each node outside the webhook. */
export const findsAnyNodes: PortalAccess = async ({ id, ids = [id] }, session) => {
  const found = await onlyOfWebhook(ids, session)
  return { id: found[0], ids: found }
}

/** The public id of the webhook. Throws if the caller names another one. */
export function ownWebhook(
  given: string | null | undefined,
  { webhookId }: RestrictedSession,
): string {
  const own = publicId('webhook', webhookId)
  if (given == null || given === own) return own
  throw new DomainError(
    'forbidden',
    `This session is restricted to the webhook ${own}. Omit the webhook, or pass that id.`,
  )
}

interface NodeId {
  readonly typename: string
  readonly id: string
}

/** The id of no node. */
const NO_NODE: NodeId = decodeNodeId('')

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
  const belonging = new Map<string, ReadonlySet<string> | undefined>()
  for (const [typename, nodes] of Map.groupBy(ids, (node) => node.typename)) {
    const { ofWebhook } = (session.schema.getType(typename)?.extensions ?? {}) as {
      readonly ofWebhook?: OfWebhook
    }
    const uuids = nodes.map(({ id }) => id)
    belonging.set(typename, await ofWebhook?.(session, uuids))
  }
  return ids.map((node) => (belonging.get(node.typename)?.has(node.id) ? node : NO_NODE))
}
