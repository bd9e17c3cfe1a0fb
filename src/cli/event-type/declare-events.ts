import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { embedSchema } from '../../lib/embed-schema.ts'
import { pascalCaseNames } from '../../lib/pascal-case.ts'

export interface DescribedEventType {
  readonly name: string
  readonly description: string
  /** A JSON Schema. Null: `data` is any JSON value. */
  readonly schema: unknown
}

/**
 * A declaration file with the interface `Events`. The same event types, in any order, give the same text. The data of an
 * event type whose schema cannot be a type is `unknown`, and `onUnknown` gets its name.
 */
export async function declareEvents(
  types: readonly DescribedEventType[],
  onUnknown: (name: string) => void = () => {},
): Promise<string> {
  const sorted = types.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const names = pascalCaseNames(sorted.map(({ name }) => name))
  const properties = sorted.map(
    (type, i): Property => [type.name, dataSchema(type, names[i] as string)],
  )
  return await print(properties).catch(async () => await print(await usable(properties, onUnknown)))
}

type Schema = Readonly<Record<string, unknown>>

type Property = readonly [name: string, schema: JSONSchema]

async function print(properties: readonly Property[]): Promise<string> {
  const events: JSONSchema = {
    description: 'The type of `data` for each event type.',
    type: 'object',
    additionalProperties: false,
    required: properties.map(([name]) => name),
    properties: Object.fromEntries(properties),
  }
  return await compile(events, 'Events', {
    bannerComment: '// Made by `posthorn event-type types`.',
    // A new field of a delivery breaks no receiver, and a wrong one in a publisher is an error.
    additionalProperties: false,
    // Otherwise a list is a tuple, which no array of a program fits.
    ignoreMinAndMaxItems: true,
    style: { semi: false, singleQuote: true, printWidth: 100 },
    // The schemas are read from the catalogue alone.
    $refOptions: { resolve: { external: false } },
  })
}

async function usable(
  properties: readonly Property[],
  onUnknown: (name: string) => void,
): Promise<Property[]> {
  return await Promise.all(
    properties.map(async ([name, schema]): Promise<Property> => {
      const isUsable = await print([[name, schema]]).then(
        () => true,
        () => false,
      )
      if (isUsable) return [name, schema]
      onUnknown(name)
      return [name, { description: schema.description ?? '', tsType: 'unknown' }]
    }),
  )
}

function dataSchema(
  { name, description, schema }: DescribedEventType,
  typeName: string,
): JSONSchema {
  if (!isObject(schema) || Object.keys(schema).every((keyword) => SAYS_NO_TYPE.has(keyword))) {
    return { description: commented(description), tsType: 'unknown' }
  }
  const embedded = embedSchema(schema, ['properties', name], adapted)
  const about = [description, schema['description']].filter((text) => typeof text === 'string')
  return {
    ...(embedded as JSONSchema),
    title: typeName,
    description: commented(about.join('\n\n')),
  }
}

const SAYS_NO_TYPE = new Set(
  '$schema $id $comment $defs title description default examples deprecated readOnly writeOnly'.split(
    ' ',
  ),
)

/** A schema in the words of json-schema-to-typescript, which knows those of draft 4, and some of its own. */
function adapted({
  tsType: _,
  tsEnumNames: __,
  $ref,
  patternProperties,
  ...schema
}: Schema): Schema {
  const { description, allOf, prefixItems, items = true, additionalProperties } = schema
  if ($ref !== undefined && Object.keys(schema).length === 0) return { $ref }
  return {
    ...schema,
    ...(typeof description === 'string' && { description: commented(description) }),
    // Beside `$defs`, a reference to one of them would not be found.
    ...($ref !== undefined && { allOf: [...[allOf ?? []].flat(), { $ref }] }),
    ...(Array.isArray(prefixItems) && { items: prefixItems, additionalItems: items }),
    ...((patternProperties !== undefined || isObject(additionalProperties)) && {
      additionalProperties: otherProperties(schema, patternProperties),
    }),
  }
}

/** TypeScript has one type for all other fields, which the named ones must fit. */
function otherProperties(schema: Schema, patternProperties: unknown): unknown {
  const { properties = {}, additionalProperties } = schema
  if (Object.keys(Object(properties)).length > 0) return true
  const patterns = Object.values(Object(patternProperties))
  if (patterns.length === 0) return additionalProperties
  return patterns.length === 1 && !additionalProperties ? patterns[0] : true
}

// A comment must not end early.
function commented(text: string): string {
  return text.replaceAll('*/', String.raw`*\/`)
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
