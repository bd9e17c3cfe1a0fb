import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import { publicId } from '../db/ids.ts'
import { DomainError } from '../lib/errors.ts'
import type { Context } from './context.ts'
import {
  type Args,
  FENCED_TYPES,
  FENCES,
  type Fence,
  type Fenced,
  NOTHING,
  open,
} from './fences.ts'

/**
 * Keeps portal sessions that are restricted to one webhook to it, in one place for all fields: what `FENCES` says is
 * done before the field is resolved, and what it does not name is refused. Fields that are open to everybody are left
 * as they are, and cost nothing.
 */
export class WebhookFence<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolver<Types>, field: PothosOutputFieldConfig<Types>) {
    // Of what a stream tells, the fence stood before it was opened.
    return field.parentType === 'Subscription' ? resolve : fenced(resolve, field)
  }

  override wrapSubscribe(
    subscribe: Resolver<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ) {
    return subscribe && fenced(subscribe, field)
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>

function fenced<Types extends SchemaTypes>(
  resolve: Resolver<Types>,
  { parentType, name }: { readonly parentType: string; readonly name: string },
): Resolver<Types> {
  const fence = fenceOf(parentType, name)
  if (fence === null) return resolve
  return (parent, args, context, info) => {
    const restricted = restrictionOf(context as unknown as Context)
    if (restricted === null) return resolve(parent, args, context, info)
    return resolveWithin(fence, restricted, args, (narrowed) =>
      resolve(parent, narrowed, context, info),
    )
  }
}

async function resolveWithin(
  fence: Fence,
  restricted: Fenced,
  args: Args,
  resolve: (args: Args) => unknown,
): Promise<unknown> {
  const narrowed: Args | typeof NOTHING = await fence(args, restricted)
  return narrowed === NOTHING ? null : resolve(narrowed)
}

/** Null where nothing needs to be done. */
function fenceOf(type: string, name: string): Fence | null {
  const field = `${type}.${name}`
  const fence = FENCES[field]
  if (fence) return fence === open ? null : fence
  return FENCED_TYPES.has(type) ? closed(field) : null
}

function closed(field: string): Fence {
  return (_args, { webhookId }) => {
    throw new DomainError(
      'forbidden',
      `This session is restricted to the webhook ${publicId('webhook', webhookId)}, and ${field} is about more than that.`,
    )
  }
}

/** Null for whoever is restricted to no webhook. */
function restrictionOf(context: Context): Fenced | null {
  const { identity } = context
  if (identity instanceof DomainError || !identity.portal) return null
  const { webhookId } = identity.portal
  return webhookId === null ? null : { webhookId, caller: identity, context }
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      webhookFence: WebhookFence<Types>
    }
  }
}

SchemaBuilder.registerPlugin('webhookFence', WebhookFence)
