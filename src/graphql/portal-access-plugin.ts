import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type PothosTypeConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import type { GraphQLFieldResolver, GraphQLResolveInfo } from 'graphql'
import { publicId } from '../db/ids.ts'
import { DomainError } from '../lib/errors.ts'
import type { Context } from './context.ts'
import {
  FINDS_OF_DELIVERY,
  NOTHING,
  type PortalAccess,
  type RestrictedSession,
} from './portal-access.ts'

/**
 * Limits a portal or frontend session that is restricted to one webhook, or to one delivery, to it. A field declares its access with the option
 * `portal`. Without the option, fields of the root types and of types with `extensions.portal: 'by field'` are closed.
 * Fields of other types are open, because such a session reaches only objects of its webhook.
 */
export class PortalAccessPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  readonly #typesByField = new Set(ROOTS)
  /** The node types of which a session restricted to one delivery sees nothing. */
  readonly #typesOfWebhook = new Set<string>()

  /** Pothos calls this for a type before it builds the fields of the type. */
  override onTypeConfig(type: PothosTypeConfig) {
    const { portal, ofWebhook, ofDelivery } = type.extensions ?? {}
    if (portal === 'by field') this.#typesByField.add(type.name)
    else if (ofWebhook && !ofDelivery) this.#typesOfWebhook.add(type.name)
    return type
  }

  override wrapResolve(resolve: Resolver<Types>, field: PothosOutputFieldConfig<Types>) {
    // Access to a subscription is checked once, when it opens.
    return field.parentType === 'Subscription' ? resolve : this.#restrict(resolve, field)
  }

  override wrapSubscribe(
    subscribe: Resolver<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ) {
    return subscribe && this.#restrict(subscribe, field)
  }

  #restrict(resolve: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    const access = this.#accessOf(field)
    if (access === 'always') return resolve
    const { parentType } = field
    const isWide = ROOTS.has(parentType) || this.#typesOfWebhook.has(parentType)
    if (access === 'open' && !isWide) return resolve
    const ofDelivery = (!isWide || parentType === 'Query') && FINDS_OF_DELIVERY.has(access)
    return async (parent, args, context, info) => {
      const session = restrictedSession(context as unknown as Context, info)
      if (session === null) return resolve(parent, args, context, info)
      if (session.deliveryId !== null && !ofDelivery) throw closedTo(field, session)
      const narrowed = access === 'open' ? args : await access(args, session)
      return narrowed === NOTHING ? null : resolve(parent, narrowed, context, info)
    }
  }

  #accessOf(field: PothosOutputFieldConfig<Types>): PortalAccess {
    const { portal } = field.pothosOptions as { readonly portal?: PortalAccess }
    if (portal) return portal
    return this.#typesByField.has(field.parentType) ? closed(field) : 'open'
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>

const ROOTS: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Subscription'])

function closed(field: { readonly parentType: string; readonly name: string }): PortalAccess {
  return (_args, session) => {
    throw closedTo(field, session)
  }
}

function closedTo(
  { parentType, name }: { readonly parentType: string; readonly name: string },
  { webhookId, deliveryId }: RestrictedSession,
): DomainError {
  const [noun, id] =
    deliveryId === null
      ? ['webhook', publicId('webhook', webhookId)]
      : ['delivery', publicId('delivery', deliveryId)]
  const message = `This session is restricted to the ${noun} ${id}, and ${parentType}.${name} covers more than that ${noun}.`
  return new DomainError('forbidden', message)
}

/** Null if the caller is not restricted to one webhook. */
function restrictedSession(
  context: Context,
  { schema }: GraphQLResolveInfo,
): RestrictedSession | null {
  const { identity } = context
  if (identity instanceof Error || !identity.session) return null
  const { webhookId, deliveryId } = identity.session
  return webhookId === null ? null : { webhookId, deliveryId, caller: identity, context, schema }
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      portalAccess: PortalAccessPlugin<Types>
    }

    interface FieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      ParentShape = unknown,
      Type extends TypeParam<Types> = TypeParam<Types>,
      Nullable extends FieldNullability<Type> = FieldNullability<Type>,
      Args extends InputFieldMap = InputFieldMap,
      ResolveShape = unknown,
      ResolveReturnShape = unknown,
    > {
      /** The access of a portal session that is restricted to one webhook. */
      portal?: PortalAccess
    }
  }
}

SchemaBuilder.registerPlugin('portalAccess', PortalAccessPlugin)
