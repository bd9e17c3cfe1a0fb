import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type InputShapeFromFields,
  type PothosOutputFieldConfig,
  type PothosTypeConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import type { Scope } from '../auth/access/scope.ts'
import { REQUIRES_SCOPES, SEMANTIC_NON_NULL } from './directives.ts'
import type { Complexity } from './limits/document-limits.ts'
import { type PortalAccess, restrictTo } from './portal-access.ts'

/** The option `authScopes.scope` of a field: the scope that a caller needs, or all of several. */
export type NeededScopes = Scope | readonly Scope[]

/** What Posthorn adds to every field: its options are declared at the end of this file. */
export class FieldPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  readonly #typesByField = new Set(['Query', 'Mutation', 'Subscription'])

  /** Pothos calls this before it builds the fields. */
  override onTypeConfig(type: PothosTypeConfig) {
    if (type.extensions?.['portal'] === 'by field') this.#typesByField.add(type.name)
    return type
  }

  override onOutputFieldConfig(
    field: PothosOutputFieldConfig<Types>,
  ): PothosOutputFieldConfig<Types> {
    const { complexity, authScopes } = optionsOf(field)
    const scopes = [authScopes?.scope ?? []].flat()
    const directives = {
      // `admin` has every scope.
      ...(scopes.length > 0 && {
        [REQUIRES_SCOPES]: { scopes: scopes.includes('admin') ? [scopes] : [scopes, ['admin']] },
      }),
      ...(isSemanticNonNull(field) && { [SEMANTIC_NON_NULL]: {} }),
    }
    return {
      ...field,
      ...(isSemanticNonNull(field) && { type: { ...field.type, nullable: true } }),
      // Where graphql-tools looks for directives.
      extensions: { ...field.extensions, complexity, directives },
    }
  }

  override wrapResolve(resolve: Resolver<Types>, field: PothosOutputFieldConfig<Types>) {
    // The arguments of a subscription, and the access to it, are checked once, when it opens.
    if (field.parentType === 'Subscription') return resolve
    return this.#restrict(resolve, field)
  }

  override wrapSubscribe(
    subscribe: Resolver<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ) {
    return subscribe && this.#restrict(subscribe, field)
  }

  /** Keeps a session that is restricted to one webhook with it. */
  #restrict(resolve: Resolver<Types>, field: PothosOutputFieldConfig<Types>): Resolver<Types> {
    const { portal } = optionsOf(field)
    const access = portal ?? (this.#typesByField.has(field.parentType) ? 'closed' : 'open')
    return access === 'open' ? resolve : restrictTo(access, resolve)
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>

interface Options {
  readonly authScopes?: { readonly scope?: NeededScopes }
  readonly complexity?: unknown
  readonly portal?: PortalAccess
  readonly semanticNonNull?: boolean
}

function optionsOf(field: { readonly pothosOptions: object }): Options {
  return field.pothosOptions as Options
}

function isSemanticNonNull<Types extends SchemaTypes>(field: PothosOutputFieldConfig<Types>) {
  return optionsOf(field).semanticNonNull ?? field.parentType === 'Mutation'
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      posthorn: FieldPlugin<Types>
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
      /** How many fields this field counts as. Default: 1, and its subfields once per row. */
      complexity?: Complexity<InputShapeFromFields<Args>>
      /**
       * The access of a portal or frontend session that is restricted to one webhook. Default: fields of the root types, and of
       * types with `extensions.portal: 'by field'`, are closed. Fields of other types are open, because such a session reaches
       * only objects of its webhook.
       */
      portal?: PortalAccess
      /** Nullable for clients, but null only because of an error, such as a missing scope. Default: only mutations. */
      semanticNonNull?: true
    }
  }
}

SchemaBuilder.registerPlugin('posthorn', FieldPlugin)
