import SchemaBuilder, {
  BasePlugin,
  type FieldNullability,
  type InputFieldMap,
  type PothosOutputFieldConfig,
  type SchemaTypes,
  type TypeParam,
} from '@pothos/core'
import {
  DirectiveLocation,
  GraphQLDirective,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql'

/**
 * `@semanticNonNull` (https://gaps.graphql.org/GAP-49/draft/). The argument `levels` has a use only for lists with
 * nullable items, which no such field of this schema has.
 */
export const semanticNonNull = new GraphQLDirective({
  name: 'semanticNonNull',
  description:
    'The field is null only if the response has an error for the field, such as a missing scope. A client that handles errors separately can treat the field as non-null.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLInt))),
      defaultValue: [0],
      description: 'The levels of a list that are null only on an error. 0 is the field itself.',
    },
  },
})

/**
 * Makes each field of Mutation, and each field with the option `semanticNonNull`, nullable and adds the directive. A
 * null without an error becomes an error. The directive is in `extensions.directives`, where graphql-tools looks for it.
 */
export class SemanticNonNullPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onOutputFieldConfig(field: PothosOutputFieldConfig<Types>) {
    if (!isMarked(field)) return field
    const { directives: others } = (field.extensions ?? {}) as { readonly directives?: object }
    const directives = { ...others, [semanticNonNull.name]: {} }
    const type = { ...field.type, nullable: true }
    return { ...field, type, extensions: { ...field.extensions, directives } }
  }

  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    field: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (!isMarked(field)) return resolve
    return async (parent, args, context, info) => {
      const value = await resolve(parent, args, context, info)
      if (value != null) return value
      throw new Error(`${field.parentType}.${field.name} is null without an error.`)
    }
  }
}

/** Whether a field of a built schema has the directive. */
export function isSemanticNonNull({
  extensions,
}: Pick<GraphQLField<unknown, unknown>, 'extensions'>) {
  const { directives = {} } = extensions as { readonly directives?: object }
  return semanticNonNull.name in directives
}

function isMarked<Types extends SchemaTypes>(field: PothosOutputFieldConfig<Types>): boolean {
  const { semanticNonNull } = field.pothosOptions as { readonly semanticNonNull?: boolean }
  return semanticNonNull ?? field.parentType === 'Mutation'
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      semanticNonNull: SemanticNonNullPlugin<Types>
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
      /** Nullable for clients, but null only because of an error, such as a missing scope. */
      semanticNonNull?: true
    }
  }
}

SchemaBuilder.registerPlugin('semanticNonNull', SemanticNonNullPlugin)
