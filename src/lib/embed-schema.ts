import { isExactNumber } from './exact-json.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * A JSON Schema (2020-12) as a part of a larger document: its references stay valid there. A reference in it counts from
 * its own root, and in the document from the root of the document. `at` is where the document has the schema, such as
 * `['properties', 'order.paid']`. Anchors become pointers, because two schemas may have the same ones.
 */
export function embedSchema(schema: Json, at: readonly string[]): Json {
  const places = findPlaces(schema)
  const anchors = new Map<string, string>()
  for (const [pointer, { value, base }] of places) {
    for (const anchor of [value['$anchor'], value['$dynamicAnchor']]) {
      if (typeof anchor === 'string') anchors.set(`${base}#${anchor}`, pointer)
    }
  }
  const root = at.map((name) => `/${escaped(name)}`).join('')

  function moved(reference: unknown, base: string): unknown {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return reference
    const fragment = fragmentOf(reference)
    const pointer =
      fragment === '' || fragment.startsWith('/')
        ? `${base}${fragment}`
        : anchors.get(`${base}#${fragment}`)
    if (pointer === undefined) return reference
    return `#${`${root}${pointer}`.split('/').map(encodeURIComponent).join('/')}`
  }

  function embed(value: unknown, pointer: string): unknown {
    if (Array.isArray(value)) return value.map((one, i) => embed(one, `${pointer}/${i}`))
    if (!isObject(value)) return value
    const place = places.get(pointer)
    const entries = Object.entries(value).flatMap(([name, child]): [string, unknown][] => {
      if (!place) return [[name, embed(child, `${pointer}/${escaped(name)}`)]]
      if (DROPPED.includes(name)) return []
      if (name === '$ref') return [[name, moved(child, place.base)]]
      // In one schema, both find the same anchor.
      if (name === '$dynamicRef' && !('$ref' in value)) return [['$ref', moved(child, place.base)]]
      return [[name, embed(child, `${pointer}/${escaped(name)}`)]]
    })
    return Object.fromEntries(entries)
  }
  return embed(schema, '') as Json
}

/** They name a schema, which the pointers do in the document. */
const DROPPED = ['$schema', '$id', '$anchor', '$dynamicAnchor', '$vocabulary']

interface Place {
  readonly value: Json
  /** The pointer of the schema that references in this one count from: the nearest one with an `$id`. */
  readonly base: string
}

/** The schemas in a schema, by their pointers. A `$ref` elsewhere, such as in `const` or `examples`, is data. */
function findPlaces(schema: Json): Map<string, Place> {
  const places = new Map<string, Place>()
  const todo: [pointer: string, value: unknown, base: string][] = [['', schema, '']]
  for (let next = todo.pop(); next; next = todo.pop()) {
    const [pointer, value, outer] = next
    if (!isObject(value) || places.has(pointer)) continue
    const base = typeof value['$id'] === 'string' ? pointer : outer
    places.set(pointer, { value, base })
    for (const [keyword, part] of Object.entries(value)) {
      const within = `${pointer}/${escaped(keyword)}`
      if (SCHEMAS.has(keyword)) todo.push([within, part, base])
      if (!SCHEMAS.has(keyword) && !MANY_SCHEMAS.has(keyword)) continue
      for (const [name, one] of Object.entries(Object(part))) {
        if (MANY_SCHEMAS.has(keyword) || Array.isArray(part)) {
          todo.push([`${within}/${escaped(name)}`, one, base])
        }
      }
    }
    // A reference may lead to a place that no keyword makes a schema.
    for (const reference of [value['$ref'], value['$dynamicRef']]) {
      if (typeof reference !== 'string' || !reference.startsWith('#/')) continue
      const target = `${base}${fragmentOf(reference)}`
      todo.push([target, find(schema, target), base])
    }
  }
  return places
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

function fragmentOf(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1))
  } catch {
    return reference.slice(1)
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !isExactNumber(value)
}
