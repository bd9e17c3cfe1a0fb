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
import { NOTHING, type PortalAccess, type RestrictedSession } from './portal-access.ts'

/**
 * Keeps a portal session that is restricted to one webhook inside that webhook. A field declares with its option `portal`
 * what it is to such a session. Fields of the root types, and of types with `extensions.portal: 'by field'`, are closed
 * without it; fields of all other types are open, as a session reaches only what belongs to its webhook.
 */
export class PortalAccessPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  readonly #typesByField = new Set(['Query', 'Mutation', 'Subscription'])

  /** Pothos configures a type before its fields. */
  override onTypeConfig(type: PothosTypeConfig) {
    if (type.extensions?.['portal'] === 'by field') this.#typesByField.add(type.name)
    return type
  }

  override wrapResolve(resolve: Resolver<Types>, field: PothosOutputFieldConfig<Types>) {
    // A subscription is checked once, when it is opened.
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
    if (access === 'open') return resolve
    return async (parent, args, context, info) => {
      const session = restrictedSession(context as unknown as Context, info)
      if (session === null) return resolve(parent, args, context, info)
      const narrowed = await access(args, session)
      return narrowed === NOTHING ? null : resolve(parent, narrowed, context, info)
    }
  }

  #accessOf({ pothosOptions, parentType, name }: PothosOutputFieldConfig<Types>): PortalAccess {
    const { portal } = pothosOptions as { readonly portal?: PortalAccess }
    if (portal) return portal
    return this.#typesByField.has(parentType) ? closed(`${parentType}.${name}`) : 'open'
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>

function closed(field: string): PortalAccess {
  return (_args, { webhookId }) => {
    throw new DomainError(
      'forbidden',
      `This session is restricted to the webhook ${publicId('webhook', webhookId)}, and ${field} is about more than that.`,
    )
  }
}

/** Null for a caller who is not restricted to one webhook. */
function restrictedSession(
  context: Context,
  { schema }: GraphQLResolveInfo,
): RestrictedSession | null {
  const { identity } = context
  if (identity instanceof DomainError || !identity.portal) return null
  const { webhookId } = identity.portal
  return webhookId === null ? null : { webhookId, caller: identity, context, schema }
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
      /** What the field is to a portal session that is restricted to one webhook. */
      portal?: PortalAccess
    }
  }
}

SchemaBuilder.registerPlugin('portalAccess', PortalAccessPlugin)
