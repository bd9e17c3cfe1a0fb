import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import { rejectLoneSurrogates } from '../lib/lone-surrogates.ts'
import type { Context } from './context.ts'
import { rejectNul } from './reject-nul.ts'

/** Rejects arguments with a lone surrogate, which variables can contain, or with NUL, as `invalid`. */
export class WellFormedPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(resolve: Resolver<Types>, field: PothosOutputFieldConfig<Types>) {
    // The arguments of a subscription are checked once, when it opens.
    return field.parentType === 'Subscription' ? resolve : withCheckedArguments(resolve, field)
  }

  override wrapSubscribe(
    subscribe: Resolver<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ) {
    return subscribe && withCheckedArguments(subscribe, field)
  }
}

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>

function withCheckedArguments<Types extends SchemaTypes>(
  resolve: Resolver<Types>,
  { args: declared }: PothosOutputFieldConfig<Types>,
): Resolver<Types> {
  if (Object.keys(declared).length === 0) return resolve
  return (parent, args, context, info) => {
    const { checkSurrogates } = context as unknown as Context
    rejectNul(info.parentType.getFields()[info.fieldName]?.args ?? [], { ...args })
    if (!checkSurrogates) return resolve(parent, args, context, info)
    // Paths of issues start in the argument `input`, as in the issues of domain functions.
    const { input, ...others } = args as { readonly input?: object | null }
    rejectLoneSurrogates(others)
    if (input) rejectLoneSurrogates(input)
    return resolve(parent, args, context, info)
  }
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      wellFormed: WellFormedPlugin<Types>
    }
  }
}

SchemaBuilder.registerPlugin('wellFormed', WellFormedPlugin)
