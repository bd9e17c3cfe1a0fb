import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type PothosOutputFieldType,
  type SchemaTypes,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import type { Context } from '../context.ts'
import { jsonBytes } from './answer-size.ts'

/** The quotes, the colon and the comma beside the name of a field. */
const PUNCTUATION_BYTES = 4

/**
 * Counts what each field adds to the answer, as it is resolved. Once the answer is too large, fields are left pending
 * rather than failed: nothing more is read, and no error is made for each of thousands of fields.
 */
export class AnswerCounter<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { type }: PothosOutputFieldConfig<Types>,
  ): typeof resolve {
    const isLeaf = isLeafType(type)
    return (parent, args, context, info) => {
      const { answerSize } = context as unknown as Context
      if (!answerSize.add(String(info.path.key).length + PUNCTUATION_BYTES)) return pending()
      const value = resolve(parent, args, context, info)
      if (!isLeaf) return value
      const count = (leaf: unknown) => (answerSize.add(jsonBytes(leaf)) ? leaf : pending())
      return value instanceof Promise ? value.then(count) : count(value)
    }
  }
}

/** One for each field: of one for all, whatever waits for it would never be let go of. */
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
      answerCounter: AnswerCounter<Types>
    }
  }
}

SchemaBuilder.registerPlugin('answerCounter', AnswerCounter)
