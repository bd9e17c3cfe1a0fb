import type {
  InputFieldMap,
  InputShapeFromFields,
  ShapeFromTypeParam,
  TypeParam,
} from '@pothos/core'
import type { Caller } from '../auth/access/scope.ts'
import type { PrismaClient } from '../db/generated/prisma/client.ts'
import { ID_PREFIXES, type IdKind, nounOf, parseId } from '../db/ids.ts'
import { atLeastKey } from '../db/selection.ts'
import { notFound } from '../lib/errors.ts'
import type { Upserted } from '../lib/setting.ts'
import { builder, type SchemaTypes } from './builder.ts'
import type { Context } from './context.ts'
import { NotFoundError, ValidationError } from './errors.ts'
import type { NeededScopes } from './field-plugin.ts'
import { changesNode } from './portal-access.ts'

/** The types of rows, which are read again after a change, and the kinds of their ids. */
const ROWS = {
  ApiKey: 'apiKey',
  BulkTask: 'bulkTask',
  Delivery: 'delivery',
  EventType: 'eventType',
  Incident: 'incident',
  Organization: 'organization',
  Webhook: 'webhook',
} as const satisfies Record<string, IdKind | 'eventType'>

/** What a session that is restricted to one webhook can change, if it belongs to the webhook. */
const OF_WEBHOOK: readonly IdKind[] = ['webhook', 'delivery', 'incident', 'bulkTask']

type Row = keyof typeof ROWS
type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>
type Type = TypeParam<Types> | Row

/** Of a row its public id, or the name of an event type, with what fields of the success need. */
type Result<Returned extends Type> = Returned extends Row
  ? string | { readonly id: string }
  : Returned extends TypeParam<Types>
    ? ShapeFromTypeParam<Types, Returned, false>
    : never

export type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

type SuccessFields = Parameters<Parameters<typeof builder.queryFields>[0]>[0]
export type Arguments = Parameters<Parameters<typeof builder.args>[0]>[0]

interface Mutation<Returned extends Type, Input extends InputFieldMap, Args extends InputFieldMap> {
  readonly description: string
  readonly scope: NeededScopes
  /** The kind of the argument `id`. */
  readonly id?: IdKind
  /** The argument `input`. With `optional`, the default is an empty one. */
  readonly input?: {
    readonly description: string
    readonly optional?: true
    readonly fields: (t: InputFields) => Input
  }
  /** Further arguments. */
  readonly args?: (t: Arguments) => Args
  /** Beside `NotFoundError`, which an id can have, and `ValidationError`, which an input can have. */
  readonly errors?: readonly (new (
    ...args: never
  ) => Error)[]
  /** The field of the success. */
  readonly returns: readonly [name: string, type: Returned, description: string]
  /** Describes the success. */
  readonly success?: string
  /** Further fields of the success, which is what `run` returns, with the columns of a row. */
  readonly fields?: (t: SuccessFields) => object
  readonly run: (
    args: {
      readonly id: string
      readonly input: InputShapeFromFields<Input>
    } & InputShapeFromFields<Args>,
    context: Context,
    caller: Caller,
  ) => Result<Returned> | Promise<Result<Returned>>
}

/**
 * Adds a mutation: what `run` returns is in a field of its success, and the errors that a caller can act on are its other
 * results. The type of the input has the name of the mutation.
 */
export function mutation<
  Returned extends Type,
  Input extends InputFieldMap = Record<never, never>,
  Args extends InputFieldMap = Record<never, never>,
>(name: string, declared: Mutation<Returned, Input, Args>): void {
  const { description, scope, id, input, errors = [], returns, success, fields } = declared
  const [field, type, about] = returns
  const run = async (args: object, context: Context) =>
    await declared.run(args as Parameters<typeof declared.run>[0], context, context.caller)
  const inputType =
    input &&
    builder.inputType(`${name.charAt(0).toUpperCase()}${name.slice(1)}Input`, {
      description: input.description,
      fields: input.fields,
    })
  const options = {
    description,
    authScopes: { scope },
    ...(id && OF_WEBHOOK.includes(id) && { portal: changesNode(id) }),
    errors: {
      // The first that matches counts: special errors come before general ones.
      types: [...errors, ...(input ? [ValidationError] : []), ...(id ? [NotFoundError] : [])],
      dataField: { name: field, description: about },
      result: {
        ...(success && { description: success }),
        ...(fields && { fields }),
      },
    },
    args: builder.args((t) => ({
      ...(id && { id: t.id({ required: true, description: describeId(id) }) }),
      ...declared.args?.(t),
      ...(inputType && {
        input: t.field({
          type: inputType,
          required: true,
          description: input.description,
          ...(input.optional && { defaultValue: {} as never }),
        }),
      }),
    })),
  }
  builder.mutationField(name, (t) =>
    isRow(type)
      ? t.prismaField({
          ...options,
          type,
          resolve: async (query: object, _root: object, args: object, context: Context) => {
            const result = (await run(args, context)) as string | { readonly id: string }
            const { id, ...others } = typeof result === 'string' ? { id: result } : result
            return { ...(await readAgain(context.prisma, ROWS[type as Row], id, query)), ...others }
          },
        } as never)
      : t.field({
          ...options,
          type,
          resolve: (_root: object, args: object, context: Context) => run(args, context),
        } as never),
  )
}

/** What an upsert did. */
export const upsertedFields = (t: SuccessFields): object => ({
  created: t.boolean({
    description: 'Whether the call created it.',
    resolve: (success) => (success as unknown as Upserted).created,
  }),
  changed: t.boolean({
    description:
      'Whether the call created it or changed one of its values. If not, its revision and the audit log stay the same.',
    resolve: (success) => (success as unknown as Upserted).changed,
  }),
})

function isRow(type: Type): type is Row {
  return typeof type === 'string' && type in ROWS
}

/** The selected columns of a row. Throws `not_found` if it was deleted since. */
async function readAgain(
  prisma: PrismaClient,
  kind: (typeof ROWS)[Row],
  id: string,
  selection: object,
): Promise<object> {
  // Each table has the same method, with its own types.
  const table = prisma[kind] as unknown as PrismaClient['webhook']
  const [key, noun, value] =
    kind === 'eventType'
      ? (['name', 'event type', id] as const)
      : (['id', nounOf(kind), parseId(kind, id)] as const)
  const where = { [key]: value } as { id: string }
  const row = await table.findUnique({ ...atLeastKey(selection, key), where })
  if (!row) throw notFound(noun, id)
  return row
}

function describeId(kind: IdKind): string {
  return `The id of the ${nounOf(kind)}: \`${ID_PREFIXES[kind]}_…\`.`
}
