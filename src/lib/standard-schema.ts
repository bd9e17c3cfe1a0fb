import { type ExactObject, parseExactJson, printExactJson } from './exact-json.ts'
import { pascalCase } from './pascal-case.ts'
import { atPointer, decoded, isSchema, referred } from './schema-path.ts'

/** JSON that was just parsed, and that nobody else has. */
export type OwnSchema = Record<string, unknown>

/** The number of a draft, or the year of a later version. */
type Dialect = 4 | 6 | 7 | 2019 | 2020

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'json-schema.org/draft-04/schema': 4,
  'json-schema.org/draft-06/schema': 6,
  'json-schema.org/draft-07/schema': 7,
  'json-schema.org/draft/2019-09/schema': 2019,
  'json-schema.org/draft/2020-12/schema': 2020,
  'spec.openapis.org/oas/3.1/dialect/base': 2020,
}

/** The version that `$schema` names. Undefined for an unknown one. */
export function dialectOf(name: string): Dialect | undefined {
  return DIALECTS[name.replace(/^https?:\/\//, '').replace(/#$/, '')]
}

/**
 * Changes a JSON Schema to the words of 2020-12, with `nullable` of OpenAPI 3.0 as a type. Each reference is then a pointer
 * from the root, and there is no `$schema`, `$id` and anchor. A reference to another document, or to nothing, stays as it is.
 */
export function standardSchema(schema: OwnSchema): OwnSchema {
  const places = findPlaces(schema)
  const pointers = pointersByUri(places)
  for (const { value, uri } of places.values()) {
    // In one schema, dynamic references find the same anchor.
    value['$ref'] ??= value['$dynamicRef'] ?? value['$recursiveRef']
    moveReferences(value, (reference) => {
      const [document, fragment] = splitReference(reference, uri)
      const isPointer = fragment.startsWith('/')
      const named = pointers.get(`${document}#${isPointer ? '' : fragment}`)
      const pointer = isPointer ? `${named}${fragment}` : `${named}`
      return named === undefined || atPointer(schema, pointer) === undefined
        ? reference
        : `#${pointer.split('/').map(encodeURIComponent).join('/')}`
    })
  }
  for (const { value, dialect } of places.values()) translate(value, dialect)
  return schema
}

/** The pointers of the schemas with an id and a fragment, or with an id and none. */
function pointersByUri(places: ReadonlyMap<string, Place>): ReadonlyMap<string, string> {
  const pointers = new Map([[`${ROOT_URI}#`, '']])
  for (const [pointer, { value, base, uri }] of places) {
    if (pointer === base) pointers.set(`${uri}#`, pointer)
    const { $anchor, $dynamicAnchor, $id, id } = value
    for (const name of [$anchor, $dynamicAnchor, fragmentId($id), fragmentId(id)]) {
      if (typeof name === 'string') pointers.set(`${uri}#${name}`, pointer)
    }
  }
  return pointers
}

/**
 * The same for an OpenAPI document, with the schemas that its references lead to as components: many generators follow no
 * other references. Their names begin with `prefix`.
 */
export function schemaWithComponents(given: OwnSchema, prefix: string) {
  const schema = standardSchema(given)
  const names = new Map<string, string>()
  const components: Record<string, unknown> = {}
  const places = [...findPlaces(schema, DEFINITIONS).values()]
  for (const { value } of places) {
    moveReferences(value, (reference) => {
      const component = referred(schema, reference)
      if (component === undefined) return reference
      const name = names.get(reference) ?? `${prefix}${componentName(reference, names.size)}`
      names.set(reference, name)
      components[name] = component
      return `#/components/schemas/${name}`
    })
  }
  for (const { value } of places) for (const name of DEFINITIONS) delete value[name]
  return { schema, components }
}

/** A schema of an OpenAPI document as one of its own: the components that it needs are in its `$defs`. */
export function schemaWithDefinitions(given: ExactObject, components: unknown): OwnSchema {
  const places = findPlaces({ ...given, components: { schemas: components } })
  const needed = new Set(
    [...places.keys()].flatMap((pointer) => COMPONENT.exec(`#${pointer}`)?.[1] ?? []),
  )
  const definitions = [...needed].map((name) => [name, atPointer(components, `/${name}`)])
  const $defs = { ...Object(given['$defs']), ...Object.fromEntries(definitions) }
  const whole = needed.size > 0 ? { ...given, $defs } : given
  const schema = parseExactJson(printExactJson(whole)) as OwnSchema
  for (const { value } of findPlaces(schema).values()) {
    moveReferences(value, (reference) => {
      const [, name = reference, within = ''] = COMPONENT.exec(reference) ?? []
      return needed.has(name) ? `#/$defs/${name}${within}` : reference
    })
  }
  return schema
}

const COMPONENT = /^#\/components\/schemas\/([^/]+)(.*)/

const DEFINITIONS = new Set(['$defs', 'definitions'])

/** Components have names of ASCII letters and digits (OpenAPI 3.1, section 4.8.7). The number keeps names apart. */
function componentName(reference: string, number: number): string {
  return `${pascalCase(decoded(reference).split('/').at(-1) ?? '')}${number || ''}`
}

/** The values of the mapping of a discriminator are references too, or names of schemas. */
function moveReferences(value: OwnSchema, moved: (reference: string) => string): void {
  const { $ref, discriminator } = value
  if (typeof $ref === 'string') value['$ref'] = moved($ref)
  const { mapping } = Object(discriminator)
  for (const [name, target] of Object.entries(Object(mapping))) {
    if (typeof target === 'string') mapping[name] = moved(target)
  }
}

/** They name a schema, which the pointers do in the document, or say what other keywords say here. */
const DROPPED =
  '$schema $id $anchor $dynamicAnchor $recursiveAnchor $dynamicRef $recursiveRef $vocabulary nullable'.split(
    ' ',
  )

/** They check nothing. Generators take a `$ref` in them for a reference. */
const EXAMPLES = ['default', 'example', 'examples']

export function hasReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '$ref') || Object.values(value).some(hasReference)
}

/** Puts the keywords of an earlier version in those of 2020-12. */
function translate(value: OwnSchema, dialect: Dialect): void {
  const { $ref, type, nullable, items, additionalItems } = value
  // Alone, `nullable` says nothing.
  if (nullable === true && type !== undefined) value['type'] = [...new Set([type, 'null'].flat())]
  if ($ref === undefined) delete value['$ref']
  const isAlone = dialect <= 7 && typeof $ref === 'string'
  for (const name of Object.keys(value)) {
    const isIgnored = isAlone && name !== '$ref' && !DEFINITIONS.has(name)
    const isExample = EXAMPLES.includes(name) && hasReference(value[name])
    if (isIgnored || isExample || DROPPED.includes(name)) delete value[name]
  }
  if (isAlone || dialect === 2020) return
  if (Array.isArray(items)) {
    Object.assign(value, { prefixItems: items, items: additionalItems ?? true })
  }
  delete value['additionalItems']
  if (dialect > 4) return
  delete value['id']
  for (const [exclusive, bound] of EXCLUSIVE_BOUNDS) {
    if (typeof value[exclusive] !== 'boolean') continue
    const { [exclusive]: isExclusive, [bound]: limit } = value
    delete value[isExclusive ? bound : exclusive]
    if (isExclusive) value[exclusive] = limit
  }
}

const EXCLUSIVE_BOUNDS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const

interface Place {
  readonly value: OwnSchema
  /** The pointer of the schema that references in this one count from: the nearest one with an `$id`. */
  readonly base: string
  /** The URI of that schema. */
  readonly uri: string
  readonly dialect: Dialect
}

const ROOT_URI = 'json-schema:///'

/**
 * The schemas in a schema, by their pointers. A `$ref` elsewhere, such as in `const` or `examples`, is data. `skipped`:
 * keywords whose schemas count only if references lead to them.
 */
export function findPlaces(schema: OwnSchema, skipped = new Set<string>()): Map<string, Place> {
  const places = new Map<string, Place>()
  const outermost = { base: '', uri: ROOT_URI, dialect: 2020 as Dialect }
  const todo: [pointer: string, value: unknown, outer: Omit<Place, 'value'>][] = [
    ['', schema, outermost],
  ]
  /** Found by references: first come the places that keywords make schemas. */
  const referred: typeof todo = []
  for (let next = todo.pop(); next; next = todo.pop() ?? referred.pop()) {
    const [pointer, value, outer] = next
    if (!isSchema(value) || places.has(pointer)) continue
    const place = placeOf(pointer, value, outer)
    places.set(pointer, place)
    for (const [keyword, part] of Object.entries(value)) {
      const within = `${pointer}/${escaped(keyword)}`
      if (skipped.has(keyword)) continue
      if (SCHEMAS.has(keyword)) todo.push([within, part, place])
      if (!MANY_SCHEMAS.has(keyword) && !(SCHEMAS.has(keyword) && Array.isArray(part))) continue
      for (const [name, one] of Object.entries(Object(part))) {
        todo.push([`${within}/${escaped(name)}`, one, place])
      }
    }
    // A reference may lead to a place that no keyword makes a schema.
    const { mapping } = Object(value['discriminator'])
    const mapped = Object.values(Object(mapping)).flatMap((one) => [
      one,
      `#/components/schemas/${one}`,
    ])
    for (const reference of [value['$ref'], value['$dynamicRef'], ...mapped]) {
      if (typeof reference !== 'string' || !reference.startsWith('#/')) continue
      const target = `${place.base}${decoded(reference.slice(1))}`
      referred.push([target, atPointer(schema, target), place])
    }
  }
  return places
}

function placeOf(pointer: string, value: OwnSchema, outer: Omit<Place, 'value'>): Place {
  const named = value['$schema']
  const dialect = (typeof named === 'string' && dialectOf(named)) || outer.dialect
  const id = value[dialect === 4 ? 'id' : '$id']
  if (typeof id !== 'string' || id.startsWith('#')) return { ...outer, value, dialect }
  const [uri] = splitReference(id, outer.uri)
  return { value, base: pointer, uri, dialect }
}

/** The document and the fragment of a reference. */
function splitReference(reference: string, base: string): [document: string, fragment: string] {
  const url = URL.parse(reference, base)
  if (url === null) return [reference, '']
  const fragment = decoded(url.hash.slice(1))
  url.hash = ''
  return [url.href, fragment]
}

/** Up to draft 7, an anchor is an id with a fragment alone. */
function fragmentId(id: unknown): string | undefined {
  return typeof id === 'string' && /^#[^/]/.test(id) ? id.slice(1) : undefined
}

/** Keywords whose value is a schema; that of `items` was a list of them in earlier drafts. */
const SCHEMAS = new Set(
  'additionalProperties additionalItems contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
)

/** Keywords whose value is a list of schemas, or an object of them. */
const MANY_SCHEMAS = new Set(
  '$defs allOf anyOf definitions dependencies dependentSchemas oneOf patternProperties prefixItems properties'.split(
    ' ',
  ),
)

/** RFC 6901. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
