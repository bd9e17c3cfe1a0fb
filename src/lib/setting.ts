import { z } from 'zod'

/** One setting of a noun: all that its inputs, fields, checks and audit entries need. */
export interface Setting {
  /** The rule of a given value. Null is the default. */
  readonly rule: z.ZodType
  /** The type in GraphQL, if `typeOf` cannot know it from the rule. */
  readonly type?: string | readonly [string]
  /** The meaning, the bounds and the default. */
  readonly description: string
  /** Whether a new object needs a value. */
  readonly required?: true
  /** False: not for the users of portal and frontend sessions, who are customers of the organization. */
  readonly forSessions?: false
}

export type Settings = Readonly<Record<string, Setting>>

/** Values that a caller gives, not checked yet. */
export type GivenSettings<S extends Settings> = {
  readonly [Name in keyof S]?: z.input<S[Name]['rule']> | null | undefined
}

type RulesOfNew<S extends Settings> = {
  [Name in keyof S]: S[Name] extends { readonly required: true }
    ? S[Name]['rule']
    : z.ZodPrefault<S[Name]['rule']>
}

type RulesOfChanges<S extends Settings> = { [Name in keyof S]: z.ZodOptional<S[Name]['rule']> }

/** The rule of a whole number. `remedy` ends its message. */
export function wholeNumber(min: number, max: number, remedy: string) {
  const [from, to] = [min, max].map((bound) => bound.toLocaleString('en'))
  const error = ({ input }: { readonly input?: unknown }) =>
    `must be a whole number from ${from} to ${to}, not ${JSON.stringify(input)}; ${remedy}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

/** The name of the type in GraphQL, in brackets for a list of it. */
export function typeOf({ rule, type }: Setting): string | readonly [string] {
  if (type !== undefined) return type
  const schema = z.toJSONSchema(rule, { io: 'input', unrepresentable: 'any' })
  const given = schema.anyOf?.find((one) => one.type !== 'null') ?? schema
  return given.type === 'array' ? [scalarOf(given.items)] : scalarOf(given)
}

const SCALARS = { string: 'String', boolean: 'Boolean', integer: 'Int' } as const

function scalarOf(schema: unknown): string {
  const [name] = [(schema as { type?: keyof typeof SCALARS }).type].flat()
  return (name && SCALARS[name]) ?? 'JSON'
}

/** A new object. A setting that is not given has its default. */
export function newObjectRule<S extends Settings>(settings: S): z.ZodObject<RulesOfNew<S>> {
  return objectOf(settings, ({ rule, required }) => (required ? rule : rule.prefault(null)))
}

/** Changes of an object. A setting that is not given stays. */
export function changesRule<S extends Settings>(settings: S): z.ZodObject<RulesOfChanges<S>> {
  return objectOf(settings, ({ rule }) => rule.optional())
}

function objectOf<Rules extends z.ZodRawShape>(
  settings: Settings,
  ruleOf: (setting: Setting) => z.ZodType,
): z.ZodObject<Rules> {
  const rules = Object.entries(settings).map(([name, setting]) => [name, ruleOf(setting)])
  return z.object(Object.fromEntries(rules) as Rules)
}

/** The settings of a stored object, for the audit log and to compare. */
export function settingsIn<Row extends object, Name extends keyof Row>(
  row: Row,
  settings: Readonly<Record<Name, Setting>>,
): Pick<Row, Name> {
  const names = Object.keys(settings) as Name[]
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>
}

/** What an upsert did. */
export interface Upserted {
  /** The public id. */
  readonly id: string
  readonly created: boolean
  /** Whether the call created or changed the object. If not, its revision and the audit log stay the same. */
  readonly changed: boolean
}
