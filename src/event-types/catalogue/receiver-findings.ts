import type { PathStep } from '../../lib/json-path.ts'
import { printPath } from '../../lib/json-path.ts'
import {
  isSchema,
  itemPlace,
  listAt,
  namedPlace,
  placeOf,
  type Schema,
  typesOf,
  valuesOf,
} from '../../lib/schema-path.ts'
import { listTypes, listValues } from '../../lib/schema-words.ts'

/** Schemas refer to themselves, and a receiver reads few levels. */
const MAX_LEVELS = 16
const MAX_SENTENCES = 100

interface Side {
  readonly root: unknown
  readonly schemas: readonly Schema[]
}

/**
 * A sentence for each promise of the schema `before` that `after` no longer gives: a property that goes away or can be
 * missing, and a value of another type or outside of a list. Alternatives such as `oneOf` are not compared.
 */
export function brokenPromises(before: unknown, after: unknown): string[] {
  const sentences: string[] = []
  const compared = new Set<string>()
  const numbers = new Map<Schema, number>()
  compare(sideOf(before), sideOf(after), [])
  return sentences.slice(0, MAX_SENTENCES)

  function compare(was: Side, is: Side, path: readonly PathStep[]): void {
    if (path.length > MAX_LEVELS || sentences.length >= MAX_SENTENCES) return
    // A schema that refers to itself says the same again at each level.
    const pair = `${numbersOf(was.schemas)} ${numbersOf(is.schemas)}`
    if (was.schemas.length === 0 || compared.has(pair)) return
    compared.add(pair)
    const change = changeOfValues(was.schemas, is.schemas, nameOf(path))
    if (change !== null) {
      sentences.push(change)
      return
    }
    for (const name of namesOf(was.schemas)) compareProperty(was, is, [...path, { name }], name)
    compareItems(was, is, path)
  }

  function numbersOf(schemas: readonly Schema[]): string {
    for (const schema of schemas) if (!numbers.has(schema)) numbers.set(schema, numbers.size)
    return schemas.map((schema) => numbers.get(schema)).join(',')
  }

  function compareProperty(was: Side, is: Side, path: readonly PathStep[], name: string): void {
    const wasRequired = isRequired(was.schemas, name)
    if (!namesOf(is.schemas).has(name)) {
      const rule = wasRequired ? 'was required' : 'was known'
      sentences.push(`${nameOf(path)} ${rule}, and goes away.`)
      return
    }
    const old = namedPlace(was.root, was.schemas, name, true)
    const next = namedPlace(is.root, is.schemas, name, true)
    if (old === null) return
    if (next === null) {
      sentences.push(`${nameOf(path)} is refused, and goes away.`)
      return
    }
    if (wasRequired && !isRequired(is.schemas, name)) {
      sentences.push(`${nameOf(path)} was required, and can be missing.`)
    }
    compare({ ...was, schemas: old.schemas }, { ...is, schemas: next.schemas }, path)
  }

  function compareItems(was: Side, is: Side, path: readonly PathStep[]): void {
    if (!was.schemas.some((schema) => 'items' in schema || 'prefixItems' in schema)) return
    const first = Math.max(0, ...was.schemas.map((schema) => listAt(schema, 'prefixItems').length))
    for (let index = 0; index <= first; index++) {
      const old = itemPlace(was.root, was.schemas, index, true)
      const next = itemPlace(is.root, is.schemas, index, true)
      if (old === null || next === null) continue
      const step = index < first ? { index } : ({ eachItem: true } as const)
      compare({ ...was, schemas: old.schemas }, { ...is, schemas: next.schemas }, [...path, step])
    }
  }
}

function changeOfValues(
  was: readonly Schema[],
  is: readonly Schema[],
  name: string,
): string | null {
  const [oldTypes, newTypes] = [typesOf(was), typesOf(is)]
  const [oldValues, newValues] = [valuesOf(was), valuesOf(is)]
  const isWider = [...newTypes].some((type) => !oldTypes.has(type))
  if (isWider) return `${name} was ${listTypes(oldTypes)}, and can be ${listTypes(newTypes)}.`
  if (oldValues === null) return null
  const known = new Set(oldValues.map((value) => JSON.stringify(value)))
  if (newValues?.every((value) => known.has(JSON.stringify(value)))) return null
  const now = listValues({ types: newTypes, values: newValues })
  return `${name} was ${listValues({ types: oldTypes, values: oldValues })}, and can be ${now}.`
}

function sideOf(root: unknown): Side {
  return { root, schemas: placeOf(root, [root], true)?.schemas ?? [] }
}

function namesOf(schemas: readonly Schema[]): Set<string> {
  return new Set(
    schemas.flatMap(({ properties }) => (isSchema(properties) ? Object.keys(properties) : [])),
  )
}

function isRequired(schemas: readonly Schema[], name: string): boolean {
  return schemas.some((schema) => listAt(schema, 'required').includes(name))
}

function nameOf(path: readonly PathStep[]): string {
  return path.length === 0 ? 'The data' : `\`${printPath(path).replace(/^\$\./, '')}\``
}
