import { isSchema, listAt, namedPlace, type Schema, valuesOf } from '../lib/schema-path.ts'
import { pascalCase } from './names.ts'
import { propertiesOf } from './shape-kind.ts'

/** How objects are told apart, each by its index. `names`: after what the type of each is named. */
export type Difference = { readonly names: readonly string[] } & (
  | {
      readonly by: 'value'
      readonly property: string
      readonly values: readonly (readonly Scalar[])[]
    }
  | { readonly by: 'name'; readonly properties: readonly string[] }
)

type Scalar = string | number | boolean

/**
 * A property that all of the objects have, with other values in each; or else a property that each requires and no other
 * has. Null if there is neither.
 */
export function tellApart(
  root: unknown,
  objects: readonly (readonly Schema[])[],
): Difference | null {
  const names = objects.map((schemas) => propertiesOf(schemas).map(({ name }) => name))
  return byValue(root, objects, names) ?? byName(objects, names)
}

const MAX_VALUES = 50

function byValue(
  root: unknown,
  objects: readonly (readonly Schema[])[],
  names: readonly (readonly string[])[],
): Difference | null {
  const sets = names.map((list) => new Set(list))
  const common = (names[0] ?? []).filter((name) => sets.every((set) => set.has(name)))
  for (const property of common) {
    const values = objects.map((schemas) => scalarsAt(root, schemas, property))
    if (!values.every((list) => list !== null)) continue
    const all = values.flat()
    if (new Set(all).size !== all.length) continue
    return {
      by: 'value',
      property,
      values,
      names: values.map((list, i) => pascalCase(String(list[0])) || `Choice${i + 1}`),
    }
  }
  return null
}

function scalarsAt(root: unknown, schemas: readonly Schema[], property: string): Scalar[] | null {
  const values = valuesOf(namedPlace(root, schemas, property, true)?.schemas ?? [])
  if (values === null || values.length === 0 || values.length > MAX_VALUES) return null
  return values.every((one) => ['string', 'number', 'boolean'].includes(typeof one))
    ? ([...new Set(values)] as Scalar[])
    : null
}

function byName(
  objects: readonly (readonly Schema[])[],
  names: readonly (readonly string[])[],
): Difference | null {
  const counts = new Map<string, number>()
  for (const name of names.flat()) counts.set(name, (counts.get(name) ?? 0) + 1)
  const properties = objects.map((schemas) =>
    schemas
      .flatMap((schema) => (isSchema(schema) ? listAt(schema, 'required') : []))
      .find((name) => typeof name === 'string' && counts.get(name) === 1),
  )
  if (!properties.every((name) => typeof name === 'string')) return null
  return {
    by: 'name',
    properties,
    names: properties.map((name, i) => pascalCase(name) || `Choice${i + 1}`),
  }
}
