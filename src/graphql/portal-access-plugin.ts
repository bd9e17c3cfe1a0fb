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
 * Limits a portal or frontend session that is restricted to one webhook to it. A field declares its access with the
 * option `portal`. Without the option, fields of the root types and of types with `extensions.portal: 'by field'` are
 * closed. Fields of other types are open, because such a session reaches only objects of its webhook.
 */
export class PortalAccessPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  readonly #typesByField = new Set(ROOTS)

  /** Pothos calls this for a type before it builds the fields of the type. */
  override onTypeConfig(type: PothosTypeConfig) {
    if (type.extensions?.['portal'] === 'by field') this.#typesByField.add(type.name)
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
    if (access === 'open') return resolve
    return async (parent, args, context, info) => {
      const session = restrictedSession(context as unknown as Context, info)
      if (session === null) return resolve(parent, args, context, info)
      const narrowed = await access(args, session)
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

function closed({
  parentType,
  name,
}: {
  readonly parentType: string
  readonly name: string
}): PortalAccess {
  return (_args, { webhookId }) => {
    const own = publicId('webhook', webhookId)
    throw new DomainError(
      'forbidden',
      `This session is restricted to the webhook ${own}, and ${parentType}.${name} covers more than that webhook.`,
    )
  }
}

/** Null if the caller is not restricted to one webhook. */
function restrictedSession(
  context: Context,
  { schema }: GraphQLResolveInfo,
): RestrictedSession | null {
  const { identity } = context
  if (identity instanceof Error || !identity.session) return null
  const { webhookId } = identity.session
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
      /** The access of a portal session that is restricted to one webhook. */
      portal?: PortalAccess
    }
  }
}

SchemaBuilder.registerPlugin('portalAccess', PortalAccessPlugin)
