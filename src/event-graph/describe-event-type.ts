import { isSchema, namedPlace, placeOf, type Schema } from '../lib/schema-path.ts'
import { standardSchema } from '../lib/standard-schema.ts'
import { withOnlyChoices } from './alternatives.ts'
import type { EventModel, FieldModel, SourceType, TypeModel, TypeRef } from './model.ts'
import { EVENT_FIELDS, fieldNames, firstFree, MAX_NAME_LENGTH, pascalCase } from './names.ts'
import {
  descriptionOf,
  enumValues,
  itemSchemas,
  kindOf,
  type Property as NamedProperty,
  objectParts,
  propertiesOf,
} from './shape-kind.ts'

/** What is nested deeper is JSON. As deep as selections can be. */
const MAX_LEVELS = 16
/** Of one event type. What is beyond is JSON, or has no field. */
const MAX_TYPES = 300
const MAX_FIELDS = 2_000
const MAX_TYPE_NAME_LENGTH = 200

const JSON_REF: TypeRef = { kind: 'scalar', name: 'JSON' }

/** A value: the schemas that hold for it, the name that its type would have, and how deep in `data` it is. */
interface Spot {
  readonly schemas: readonly Schema[]
  readonly typeName: string
  readonly level: number
}

/** The types of an event type in the event graph. They depend on nothing but its schema and `typeName`. */
export function describeEventType(source: SourceType, typeName: string): EventModel {
  const root = source.schema === null ? null : standardSchema(JSON.parse(source.schema))
  const dataTypeName = `${typeName}_Data`
  const taken = new Set([typeName, dataTypeName])
  const known = new Map<string, TypeRef>()
  const numbers = new Map<unknown, number>()
  const types: TypeModel[] = []
  /** Types are made level by level, so that each is as near to the event as it can be. */
  const todo: (() => void)[] = []
  let fieldsLeft = MAX_FIELDS

  const properties = dataProperties()
  fieldsLeft -= properties.length
  const fields = fieldsOf(properties, { typeName, level: 0 }, EVENT_FIELDS)
  while (todo.length > 0) for (const make of todo.splice(0)) make()
  const { name, description } = source
  return { name, typeName, description, fields, dataTypeName, types }

  function dataProperties(): Property[] {
    const schemas = withOnlyChoices(root, placeOf(root, [root], true)?.schemas ?? [])
    if (schemas === null || kindOf(schemas) !== 'object') return []
    known.set(keyOf(objectParts(schemas)), { kind: 'named', name: dataTypeName })
    return usableProperties(schemas)
  }

  function usableProperties(schemas: readonly Schema[]): Property[] {
    return propertiesOf(schemas)
      .filter(({ name }) => name.length <= MAX_NAME_LENGTH)
      .flatMap((property) => {
        const place = namedPlace(root, schemas, property.name, true)
        return place === null ? [] : [{ ...property, schemas: place.schemas }]
      })
      .slice(0, fieldsLeft)
  }

  function fieldsOf(
    properties: readonly Property[],
    parent: Omit<Spot, 'schemas'>,
    reserved: readonly string[],
  ): FieldModel[] {
    const names = fieldNames(
      properties.map(({ name }) => name),
      reserved,
    )
    return properties.map(({ name: property, own, schemas: ofValue }) => {
      const step = pascalCase(property) || 'Field'
      const at = { typeName: `${parent.typeName}_${step}`, level: parent.level + 1 }
      const schemas = [...own, ...ofValue]
      return {
        name: names.get(property) ?? property,
        property,
        type: refTo({ ...at, schemas: ofValue }, own),
        description: descriptionOf(schemas),
        isDeprecated: schemas.some((one) => isSchema(one) && one['deprecated'] === true),
      }
    })
  }

  /** `own`: the schemas that stand at the place itself. What they refer to gives a type its name. */
  function refTo(spot: Spot, own: readonly unknown[]): TypeRef {
    if (spot.level > MAX_LEVELS) return JSON_REF
    const schemas = withOnlyChoices(root, spot.schemas)
    if (schemas === null) return JSON_REF
    const at = { ...spot, schemas, typeName: nameByReference(own) ?? spot.typeName }
    const kind = kindOf(schemas)
    if (kind === 'object') return refToObject(at)
    if (kind === 'array') return refToList(at)
    return kind === 'String' ? refToString(at) : { kind: 'scalar', name: kind ?? 'JSON' }
  }

  function refToObject(spot: Spot): TypeRef {
    const schemas = objectParts(spot.schemas)
    const key = keyOf(schemas)
    const found = known.get(key)
    if (found) return found
    const properties = usableProperties(schemas)
    if (properties.length === 0) return JSON_REF
    const ref = refToType(spot, key, (name) => ({
      kind: 'object',
      name,
      description: descriptionOf(schemas),
      fields: fieldsOf(properties, { ...spot, typeName: name }, []),
    }))
    // Here, and not when the fields are made, so that no type is left without any.
    if (ref !== JSON_REF) fieldsLeft -= properties.length
    return ref
  }

  function refToList(spot: Spot): TypeRef {
    const items = itemSchemas(spot.schemas)
    const place = items && placeOf(root, items, true)
    if (items === null || place === null) return { kind: 'list', of: JSON_REF }
    const at = { ...spot, schemas: place.schemas, level: spot.level + 1 }
    return { kind: 'list', of: refTo(at, items) }
  }

  function refToString(spot: Spot): TypeRef {
    const values = enumValues(spot.schemas)
    if (values === null) return { kind: 'scalar', name: 'String' }
    const schemas = spot.schemas.filter(({ enum: list, const: only }) => list ?? only)
    return refToType(spot, keyOf(schemas), (name) => ({
      kind: 'enum',
      name,
      description: descriptionOf(schemas),
      values,
    }))
  }

  /** The type with the key, which is made once. */
  function refToType(spot: Spot, key: string, make: (name: string) => TypeModel): TypeRef {
    const found = known.get(key)
    if (found) return found
    if (types.length >= MAX_TYPES || fieldsLeft <= 0) return JSON_REF
    const isLong = spot.typeName.length > MAX_TYPE_NAME_LENGTH
    const wanted = isLong ? `${typeName}_${spot.typeName.split('_').at(-1)}` : spot.typeName
    const name = firstFree(wanted, taken)
    taken.add(name)
    const ref: TypeRef = { kind: 'named', name }
    known.set(key, ref)
    const index = types.push({ kind: 'enum', name, description: null, values: [] }) - 1
    todo.push(() => {
      types[index] = make(name)
    })
    return ref
  }

  function keyOf(schemas: readonly unknown[]): string {
    for (const schema of schemas) if (!numbers.has(schema)) numbers.set(schema, numbers.size)
    const ids = schemas.map((schema) => numbers.get(schema) as number)
    return ids.toSorted((a, b) => a - b).join(',')
  }

  /** `#/$defs/address` → `OrderPaid_Address`. */
  function nameByReference(own: readonly unknown[]): string | null {
    for (const schema of own) {
      const reference = isSchema(schema) ? schema['$ref'] : undefined
      if (typeof reference !== 'string' || reference === '#') continue
      const step = pascalCase(reference.split('/').at(-1) ?? '')
      if (step !== '' && step.length <= MAX_NAME_LENGTH) return `${typeName}_${step}`
    }
    return null
  }
}

/** A property with the schemas of its values. */
type Property = NamedProperty & { readonly schemas: readonly Schema[] }
