import { invalidParams } from './events-error.ts'

/** An argument of `events/subscribe`, which becomes a condition of the webhook's filter. */
export interface OfferedArgument {
  /** The JSON path in the `data` of the event, such as `$.order.status`. */
  readonly path: string
  /** The type of the argument. @default 'string' */
  readonly type?: 'string' | 'number' | 'boolean' | undefined
  /** How the value in the event is compared with the argument. @default 'equals' */
  readonly op?:
    | 'equals'
    | 'less'
    | 'lessOrEqual'
    | 'greater'
    | 'greaterOrEqual'
    | 'startsWith'
    | 'contains'
    | 'has'
    | undefined
  /** For the program, or the model, that subscribes. */
  readonly description?: string | undefined
  /** The only values that are possible. */
  readonly enum?: readonly (string | number | boolean)[] | undefined
  /** Whether each subscription must have it: then no principal gets the events of all values. @default false */
  readonly required?: boolean | undefined
}

export interface OfferedEvent {
  /** @default the description in the catalogue */
  readonly description?: string | undefined
  readonly arguments?: Readonly<Record<string, OfferedArgument>> | undefined
}

/** The JSON Schema of the arguments. */
export function inputSchemaOf({ arguments: offered = {} }: OfferedEvent): object {
  const required = Object.keys(offered).filter((name) => offered[name]?.required)
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(offered).map(([name, { type = 'string', description, enum: values }]) => [
        name,
        { type, ...(description && { description }), ...(values && { enum: values }) },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** The filter of the webhook. Null: all events of the type. Throws for arguments that the schema does not allow. */
export function filterOf(
  { arguments: offered = {} }: OfferedEvent,
  given: Readonly<Record<string, unknown>>,
): object | null {
  const names = Object.keys(offered)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(offered, name))
  if (unknown !== undefined) {
    const known = names.length > 0 ? `The arguments are ${names.join(', ')}.` : 'There are none.'
    throw invalidParams(`arguments.${excerpt(unknown)}`, `is no argument of this event. ${known}`)
  }
  const conditions = names.flatMap((name) => conditionOf(name, offered[name], given[name]))
  return conditions.length === 0 ? null : { all: conditions }
}

function conditionOf(name: string, argument: OfferedArgument | undefined, value: unknown) {
  if (argument === undefined) return []
  const { path, type = 'string', op = 'equals', enum: values, required } = argument
  const field = `arguments.${name}`
  if (value === undefined) {
    if (required) throw invalidParams(field, 'is required.')
    return []
  }
  if (typeof value !== type) throw invalidParams(field, `must be a ${type}.`)
  if (values && !values.includes(value as string)) {
    throw invalidParams(field, `must be one of ${values.join(', ')}.`)
  }
  return [{ path, op, value }]
}

function excerpt(text: string): string {
  return text.slice(0, 64)
}
