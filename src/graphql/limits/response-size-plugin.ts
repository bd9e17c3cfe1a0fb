import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type PothosOutputFieldType,
  type SchemaTypes,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import type { Context } from '../context.ts'
import { jsonBytes } from './response-size.ts'

/** The quotes, the colon and the comma beside the name of a field. */
const PUNCTUATION_BYTES = 4

/**
 * Adds the size of each field to the size of the response as fields resolve. Once the response is too large, fields stay
 * pending instead of failing: nothing more is read, and thousands of fields do not create an error each.
 */
export class ResponseSizePlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { type }: PothosOutputFieldConfig<Types>,
  ): typeof resolve {
    const isLeaf = isLeafType(type)
    return (parent, args, context, info) => {
      const { responseSize } = context as unknown as Context
      if (!responseSize.add(String(info.path.key).length + PUNCTUATION_BYTES)) return pending()
      const value = resolve(parent, args, context, info)
      if (!isLeaf) return value
      const count = (leaf: unknown) => (responseSize.add(jsonBytes(leaf)) ? leaf : pending())
      return value instanceof Promise ? value.then(count) : count(value)
    }
  }
}

/** A new promise for each field: a shared one would keep references to its callbacks forever. */
function pending(): Promise<never> {
  return new Promise(() => {})
}

function isLeafType<Types extends SchemaTypes>(type: PothosOutputFieldType<Types>): boolean {
  if (type.kind === 'List') return isLeafType(type.type)
  return type.kind === 'Scalar' || type.kind === 'Enum'
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      responseSize: ResponseSizePlugin<Types>
    }
  }
}

SchemaBuilder.registerPlugin('responseSize', ResponseSizePlugin)
