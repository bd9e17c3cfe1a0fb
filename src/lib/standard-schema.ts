import { isExactNumber } from './exact-json.ts'
import { pascalCaseNames } from './pascal-case.ts'

type Json = Readonly<Record<string, unknown>>

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
function dialectOf(name: string): Dialect | undefined {
  return DIALECTS[name.replace(/^https?:\/\//, '').replace(/#$/, '')]
}

/** Whether a value of `$schema` names no version that Posthorn reads. */
export function isUnknownDialect(name: unknown): name is string {
  return typeof name === 'string' && dialectOf(name) === undefined
}

/**
 * A JSON Schema in the words of 2020-12, with `nullable` of OpenAPI 3.0 as a type. Each reference is a pointer from the root,
 * so the result has no `$schema`, `$id` and anchors. A reference to another document stays as it is.
 */
export function standardSchema(schema: Json): Json {
  const places = findPlaces(schema)
  const to = (pointer: string) => `${places.get(pointer)?.to ?? pointer}`
  return translator(
    schema,
    places,
    DROPPED,
    (pointer) => `#${to(pointer).split('/').map(encodeURIComponent).join('/')}`,
  )('')
}

/**
 * The same for an OpenAPI document, with the schemas that its references lead to as components: many generators follow no
 * other references. Their names begin with `prefix`.
 */
export function schemaWithComponents(schema: Json, prefix: string) {
  /** The names of the components by their pointers. A loop over a map goes on with what is added meanwhile. */
  const names = new Map<string, string>()
  const dropped = new Set([...DROPPED, '$defs', 'definitions'])
  const translate = translator(schema, findPlaces(schema), dropped, (pointer) => {
    const name = names.get(pointer) ?? `${prefix}${componentName(pointer, names.size)}`
    names.set(pointer, name)
    return `#/components/schemas/${name}`
  })
  const translated = translate('')
  const components: Record<string, Json> = {}
  for (const [pointer, name] of names) components[name] = translate(pointer)
  return { schema: translated, components }
}

/** The same for a schema of an OpenAPI document: the components that it needs are in its `$defs`. */
export function schemaWithDefinitions(schema: Json, components: unknown): Json {
  const document = { ...schema, components: { schemas: components } }
  const places = findPlaces(document)
  const needed = new Set<string>()
  const dropped = new Set([...DROPPED, 'components'])
  const translate = translator(document, places, dropped, (pointer) => {
    const to = places.get(pointer)?.to ?? pointer
    const [, name, within = ''] = /^\/components\/schemas\/([^/]+)(.*)/.exec(to) ?? []
    if (name === undefined) return `#${to}`
    needed.add(name)
    return `#/$defs/${name}${within}`
  })
  const translated = translate('')
  const definitions = { ...Object(translated['$defs']) }
  for (const name of needed) definitions[name] = translate(`/components/schemas/${name}`)
  return needed.size === 0 ? translated : { ...translated, $defs: definitions }
}

/** Components have names of these letters (OpenAPI 3.1, section 4.8.7). The number keeps names apart. */
function componentName(pointer: string, number: number): string {
  const [name = ''] = pascalCaseNames([pointer.split('/').at(-1) ?? ''])
  return `${name.replace(/[^a-zA-Z0-9]/g, '')}${number || ''}`
}

type Places = ReadonlyMap<string, Place>

/** Translates the schema at a pointer. `referTo` makes a reference to the schema at another one. */
function translator(
  schema: Json,
  places: Places,
  dropped: ReadonlySet<string>,
  referTo: (pointer: string) => string,
): (pointer: string) => Json {
  const resources = new Map([[ROOT_URI, '']])
  const anchors = new Map<string, string>()
  for (const [pointer, { value, base, uri }] of places) {
    if (pointer === base) resources.set(uri, pointer)
    for (const name of ['$anchor', '$dynamicAnchor', '$id', 'id']) {
      const anchor = name.startsWith('$') && name !== '$id' ? value[name] : fragmentId(value[name])
      if (typeof anchor === 'string') anchors.set(`${uri}#${anchor}`, pointer)
    }
  }
  function moved(reference: unknown, place: Place): unknown {
    const pointer = pointerTo(reference, place)
    return pointer === undefined ? reference : referTo(pointer)
  }

  function pointerTo(reference: unknown, { uri }: Place): string | undefined {
    if (typeof reference !== 'string') return undefined
    const [document, fragment] = splitReference(reference, uri)
    const resource = resources.get(document)
    if (resource === undefined) return undefined
    const pointer =
      fragment === '' || fragment.startsWith('/')
        ? `${resource}${fragment}`
        : anchors.get(`${document}#${fragment}`)
    return pointer !== undefined && find(schema, pointer) !== undefined ? pointer : undefined
  }

  function copy(value: unknown, pointer: string): unknown {
    if (Array.isArray(value)) return value.map((one, i) => copy(one, `${pointer}/${i}`))
    if (!isObject(value)) return value
    const place = places.get(pointer)
    const entries = Object.entries(value).flatMap(([name, child]): [string, unknown][] => {
      const within = `${pointer}/${escaped(name)}`
      if (!place) return [[name, copy(child, within)]]
      if (dropped.has(name) || isIgnored(name, place)) return []
      if (EXAMPLES.has(name) && hasReference(child)) return []
      if (name === '$ref') return [[name, moved(child, place)]]
      if (name === '$dynamicRef' || name === '$recursiveRef') {
        // In one schema, both find the same anchor.
        return '$ref' in value ? [] : [['$ref', moved(child, place)]]
      }
      if (name === 'type') return [[name, typesWithNull(child, value['nullable'])]]
      if (name === 'discriminator') return [[name, movedMapping(child, place)]]
      return standardEntry(name, copy(child, within), place)
    })
    return Object.fromEntries(entries)
  }

  function movedMapping(discriminator: unknown, place: Place): unknown {
    const mapping = Object.entries(mappingOf(discriminator)).map(([value, target]) => {
      const found = mappedReferences(target).find((one) => pointerTo(one, place) !== undefined)
      return [value, moved(found ?? target, place)]
    })
    return mapping.length === 0
      ? discriminator
      : { ...Object(discriminator), mapping: Object.fromEntries(mapping) }
  }

  return (pointer) => copy(find(schema, pointer), pointer) as Json
}

function mappingOf(discriminator: unknown): Json {
  const { mapping } = Object(discriminator)
  return isObject(mapping) ? mapping : {}
}

/** The value of a mapping is a reference, or the name of a component. */
const mappedReferences = (target: unknown) => [target, `#/components/schemas/${target}`]

/** They name a schema, which the pointers do in the document, or say what other keywords say here. */
const DROPPED = new Set(
  '$schema $id $anchor $dynamicAnchor $recursiveAnchor $vocabulary nullable'.split(' '),
)

/** They check nothing. Generators take a `$ref` in them for a reference. */
const EXAMPLES = new Set(['default', 'example', 'examples'])

export function hasReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '$ref') || Object.values(value).some(hasReference)
}

/** Up to draft 7, a reference stands alone. */
function isIgnored(name: string, { value, dialect }: Place): boolean {
  if (dialect === 4 && name === 'id') return true
  return (
    dialect <= 7 && typeof value['$ref'] === 'string' && !/^(\$ref|\$defs|definitions)$/.test(name)
  )
}

/** A keyword of an earlier version under the name of 2020-12, or none. */
function standardEntry(
  name: string,
  child: unknown,
  { value, dialect }: Place,
): [string, unknown][] {
  if (dialect < 2020) {
    if (name === 'additionalItems') return Array.isArray(value['items']) ? [['items', child]] : []
    if (name === 'items' && Array.isArray(child)) return [['prefixItems', child]]
  }
  if (dialect === 4) {
    const bound = { exclusiveMinimum: 'minimum', exclusiveMaximum: 'maximum' }[name]
    if (bound !== undefined) return child === true ? [[name, value[bound]]] : []
    const isExclusive = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' }[name]
    if (isExclusive !== undefined && value[isExclusive] === true) return []
  }
  return [[name, child]]
}

/** OpenAPI 3.0: `nullable` adds null to the type beside it. Alone, it says nothing. */
function typesWithNull(type: unknown, nullable: unknown): unknown {
  const types = [type].flat()
  return nullable === true && !types.includes('null') ? [...types, 'null'] : type
}

interface Place {
  readonly value: Json
  /** The pointer of the schema that references in this one count from: the nearest one with an `$id`. */
  readonly base: string
  /** The URI of that schema. */
  readonly uri: string
  readonly dialect: Dialect
  /** The pointer of this schema in the words of 2020-12. */
  readonly to: string
}

const ROOT_URI = 'json-schema:///'

/** The schemas in a schema, by their pointers. A `$ref` elsewhere, such as in `const` or `examples`, is data. */
export function findPlaces(schema: Json): Map<string, Place> {
  const places = new Map<string, Place>()
  const outermost = { base: '', uri: ROOT_URI, dialect: 2020 as Dialect, to: '' }
  const todo: [pointer: string, value: unknown, outer: Omit<Place, 'value'>][] = [
    ['', schema, outermost],
  ]
  /** Found by references: first come the places that keywords make schemas. */
  const referred: typeof todo = []
  for (let next = todo.pop(); next; next = todo.pop() ?? referred.pop()) {
    const [pointer, value, outer] = next
    if (!isObject(value) || places.has(pointer)) continue
    const place = placeOf(pointer, value, outer)
    places.set(pointer, place)
    for (const [keyword, part] of Object.entries(value)) {
      const within = `${pointer}/${escaped(keyword)}`
      const to = `${place.to}/${standardKeyword(keyword, part, place)}`
      if (SCHEMAS.has(keyword)) todo.push([within, part, { ...place, to }])
      if (!SCHEMAS.has(keyword) && !MANY_SCHEMAS.has(keyword)) continue
      for (const [name, one] of Object.entries(Object(part))) {
        if (MANY_SCHEMAS.has(keyword) || Array.isArray(part)) {
          todo.push([`${within}/${escaped(name)}`, one, { ...place, to: `${to}/${escaped(name)}` }])
        }
      }
    }
    // A reference may lead to a place that no keyword makes a schema.
    const mapped = Object.values(mappingOf(value['discriminator'])).flatMap(mappedReferences)
    for (const reference of [value['$ref'], value['$dynamicRef'], ...mapped]) {
      if (typeof reference !== 'string' || !reference.startsWith('#/')) continue
      const target = `${place.base}${decoded(reference.slice(1))}`
      referred.push([target, find(schema, target), { ...place, to: target }])
    }
  }
  return places
}

function placeOf(pointer: string, value: Json, outer: Omit<Place, 'value'>): Place {
  const named = value['$schema']
  const dialect = (typeof named === 'string' && dialectOf(named)) || outer.dialect
  const id = value[dialect === 4 ? 'id' : '$id']
  if (typeof id !== 'string' || id.startsWith('#')) return { ...outer, value, dialect }
  const [uri] = splitReference(id, outer.uri)
  return { value, base: pointer, uri, dialect, to: outer.to }
}

function standardKeyword(keyword: string, part: unknown, { value, dialect }: Place): string {
  if (dialect < 2020 && keyword === 'items' && Array.isArray(part)) return 'prefixItems'
  if (dialect < 2020 && keyword === 'additionalItems' && Array.isArray(value['items']))
    return 'items'
  return escaped(keyword)
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

function find(root: Json, pointer: string): unknown {
  const names = pointer.split('/').slice(1)
  return names.reduce<unknown>((value, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
    return Object.hasOwn(Object(value), key) ? (value as Json)[key] : undefined
  }, root)
}

/** RFC 6901. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !isExactNumber(value)
}
