import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import { isDatabaseUnavailable } from '../db/faults.ts'

/**
 * The mutations of a request run one after the other. Once one of them cannot run for now, the others fail with its error
 * instead of waiting as long each.
 */
export class FirstUnavailablePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  readonly #errors = new WeakMap<object, unknown>()

  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { parentType }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (parentType !== 'Mutation') return resolve
    return async (parent, args, context, info) => {
      if (this.#errors.has(context)) throw this.#errors.get(context)
      try {
        return await resolve(parent, args, context, info)
      } catch (error) {
        if (isDatabaseUnavailable(error)) this.#errors.set(context, error)
        throw error
      }
    }
  }
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      firstUnavailable: FirstUnavailablePlugin<Types>
    }
  }
}

SchemaBuilder.registerPlugin('firstUnavailable', FirstUnavailablePlugin)
