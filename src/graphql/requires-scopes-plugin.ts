import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core'
import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
  GraphQLSchema,
} from 'graphql'
import type { Scope } from '../access/scope.ts'

const NAME = 'requiresScopes'

/** The option `authScopes.scope` of a field: the scope that a caller needs, or all of several. */
export type NeededScopes = Scope | readonly Scope[]

/**
 * Says in the schema which scope a field needs: by `@requiresScopes`, and in the description. Both are made from the
 * option `authScopes`, which the scope-auth plugin enforces. The directive is in `extensions.directives`, where
 * graphql-tools looks for it.
 */
export class RequiresScopesPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>) {
    const { authScopes } = field.pothosOptions as { authScopes?: { scope?: NeededScopes } }
    if (!authScopes?.scope) return field
    const needed = [authScopes.scope].flat()
    const { directives } = (field.extensions ?? {}) as { readonly directives?: object }
    // `admin` has every scope.
    const scopes = needed.includes('admin') ? [needed] : [needed, ['admin']]
    const names = needed.map((scope) => `\`${scope}\``).join(' and ')
    return {
      ...field,
      description: `${field.description} Needs the scope${needed.length > 1 ? 's' : ''} ${names}.`,
      extensions: { ...field.extensions, directives: { ...directives, [NAME]: { scopes } } },
    }
  }
}

/** Adds the directive to the schema: https://www.apollographql.com/docs/graphos/reference/federation/directives#requiresscopes */
export function withRequiresScopes(schema: GraphQLSchema): GraphQLSchema {
  const scope = schema.getType('Scope') as GraphQLScalarType
  const names = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(scope)))
  const directive = new GraphQLDirective({
    name: NAME,
    description:
      'The scopes that a caller needs to read the field: all of one of the lists. Without them, the field is null, with an error of the code `FORBIDDEN`. It has the form of Apollo Federation.',
    locations: [DirectiveLocation.FIELD_DEFINITION],
    args: {
      scopes: {
        type: new GraphQLNonNull(new GraphQLList(names)),
        description: 'Lists of scopes, one of which is enough.',
      },
    },
  })
  const config = schema.toConfig()
  return new GraphQLSchema({ ...config, directives: [...config.directives, directive] })
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      requiresScopes: RequiresScopesPlugin<Types>
    }
  }
}

SchemaBuilder.registerPlugin('requiresScopes', RequiresScopesPlugin)
