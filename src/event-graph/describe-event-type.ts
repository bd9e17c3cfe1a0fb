import { isSchema, namedPlace, placeOf, referred, type Schema } from '../lib/schema-path.ts'
import { type Shape, shapeOf, withoutChoices } from './alternatives.ts'
import { givenName } from './graphql-name.ts'
import type {
  ChoiceModel,
  EventModel,
  FieldModel,
  SourceType,
  TypeModel,
  TypeRef,
} from './model.ts'
import {
  EVENT_FIELDS,
  fieldNames,
  firstFree,
  isSpelled,
  MAX_NAME_LENGTH,
  pascalCase,
} from './names.ts'
import {
  commonScalar,
  descriptionOf,
  enumValues,
  itemSchemas,
  kindOf,
  type Property as NamedProperty,
  objectParts,
  propertiesOf,
} from './shape-kind.ts'
import { type Difference, tellApart } from './tell-apart.ts'

/** What is nested deeper is JSON. As deep as selections can be. */
const MAX_LEVELS = 16
/** Of one event type. What is beyond is JSON, or has no field. */
const MAX_TYPES = 300
const MAX_FIELDS = 2_000
const MAX_MEMBERS = 20
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
  const root: unknown = source.schema === null ? null : JSON.parse(source.schema)
  const dataTypeName = `${typeName}_Data`
  const taken = new Set([typeName, dataTypeName])
  const known = new Map<string, TypeRef>()
  const numbers = new Map<unknown, number>()
  const bases = new Map<Schema, Schema[]>()
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

  /** Of data that is one of several objects, the properties of all of them. */
  function dataProperties(): Property[] {
    const { schemas, choices, isUnclear } = shapeAt([root])
    if (isUnclear) return []
    const shapes = choices === null ? [schemas] : shapesOf(schemas, choices).map(objectSchemas)
    const objects = shapes.filter((one) => one !== null && kindOf(one) === 'object')
    if (objects.length < shapes.length) return []
    if (choices === null) {
      known.set(keyOf(objectParts(schemas)), { kind: 'named', name: dataTypeName })
    }
    const found = new Map<string, Property>()
    for (const property of objects.flatMap((one) => usableProperties(one ?? []))) {
      const same = found.get(property.name)
      found.set(property.name, same ? joinProperties(same, property) : property)
    }
    return [...found.values()].slice(0, fieldsLeft)
  }

  function shapeAt(schemas: readonly unknown[]): Shape {
    return shapeOf(root, placeOf(root, schemas, true)?.schemas ?? [])
  }

  function usableProperties(schemas: readonly Schema[]): Property[] {
    return propertiesOf(schemas)
      .filter(({ name }) => name.length <= MAX_NAME_LENGTH)
      .flatMap((property) => {
        const place = namedPlace(root, schemas, property.name, true)
        return place === null ? [] : [{ ...property, places: [place.schemas] }]
      })
      .slice(0, fieldsLeft)
  }

  function fieldsOf(
    properties: readonly Property[],
    parent: Omit<Spot, 'schemas'>,
    reserved: readonly string[],
  ): FieldModel[] {
    const names = fieldNames(properties, reserved)
    return properties.map(({ name: property, own, places }) => {
      const step = pascalCase(property) || 'Field'
      const at = { typeName: `${parent.typeName}_${step}`, level: parent.level + 1 }
      const scalar = places.length > 1 ? commonScalar(places) : null
      const refs: TypeRef[] =
        scalar === null
          ? places.map((schemas) => refTo({ ...at, schemas }, own))
          : [{ kind: 'scalar', name: scalar }]
      const schemas = [...own, ...places.flat()]
      return {
        name: names.get(property) ?? property,
        property,
        type: onlyOf(refs),
        description: descriptionOf(schemas),
        isDeprecated: schemas.some((one) => isSchema(one) && one['deprecated'] === true),
      }
    })
  }

  /** `own`: the schemas that stand at the place itself. What they refer to gives a type its name. */
  function refTo(spot: Spot, own: readonly unknown[]): TypeRef {
    if (spot.level > MAX_LEVELS) return JSON_REF
    const { schemas, choices, isUnclear } = shapeOf(root, spot.schemas)
    if (isUnclear) return JSON_REF
    const at = { ...spot, schemas, typeName: nameByReference(own) ?? spot.typeName }
    if (choices !== null) return refToChoice(at, choices)
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

  function refToChoice(spot: Spot, choices: readonly unknown[]): TypeRef {
    const shapes = shapesOf(spot.schemas, choices)
    const scalar = commonScalar(shapes.map(({ schemas }) => schemas))
    if (scalar !== null) return { kind: 'scalar', name: scalar }
    const objects = shapes.map(objectSchemas).filter((one) => one !== null)
    const isUnion = shapes.length <= MAX_MEMBERS && objects.length === shapes.length
    const difference = isUnion ? tellApart(root, objects) : null
    if (difference === null) return JSON_REF
    const refs = objects.map((schemas, i) => {
      const given = givenName(choices[i])
      const step = given !== null && isSpelled(given) ? given : difference.names[i]
      const wanted = nameByReference([choices[i]]) ?? `${spot.typeName}_${step}`
      return refToObject({ schemas, typeName: wanted, level: spot.level })
    })
    const members = [...new Set(refs)].filter((ref) => ref.kind === 'named')
    if (members.length < refs.length) return JSON_REF
    const key = `one of ${members.map(({ name }) => name).join(' ')}`
    return refToType(spot, key, (name) => ({
      kind: 'union',
      name,
      description: descriptionOf(spot.schemas),
      choice: choiceOf(
        difference,
        members.map((member) => member.name),
      ),
    }))
  }

  function shapesOf(schemas: readonly Schema[], choices: readonly unknown[]): Shape[] {
    const base = schemas.flatMap(baseOf)
    return choices.map((choice) => shapeAt([...base, choice]))
  }

  /** The schema without its lists of choices: one object for each schema, so that a type is known again. */
  function baseOf(schema: Schema): Schema[] {
    const known = bases.get(schema) ?? withoutChoices(schema)
    bases.set(schema, known)
    return known
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

  /** `#/$defs/address` → `OrderPaid_Address`, or what the schema there says. */
  function nameByReference(own: readonly unknown[]): string | null {
    for (const schema of own) {
      const reference = isSchema(schema) ? schema['$ref'] : undefined
      if (typeof reference !== 'string' || reference === '#') continue
      const given = givenName(referred(root, reference))
      const last = reference.split('/').at(-1) ?? ''
      const step = given !== null && isSpelled(given) ? given : pascalCase(last)
      if (step !== '' && step.length <= MAX_NAME_LENGTH) return `${typeName}_${step}`
    }
    return null
  }
}

/** What holds for an object that is not one of several again. Null for anything else. */
function objectSchemas({ schemas, choices, isUnclear }: Shape): readonly Schema[] | null {
  return choices === null && !isUnclear && kindOf(schemas) === 'object' ? schemas : null
}

/** A property with the schemas of its values: one place for each object that has the property. */
type Property = NamedProperty & { readonly places: readonly (readonly Schema[])[] }

function joinProperties(a: Property, b: Property): Property {
  const { name, given } = a
  return {
    name,
    given: given ?? b.given,
    own: [...a.own, ...b.own],
    places: [...a.places, ...b.places],
  }
}

/** The type, if all are the same. */
function onlyOf(refs: readonly TypeRef[]): TypeRef {
  const [ref = JSON_REF] = refs
  return refs.every((one) => JSON.stringify(one) === JSON.stringify(ref)) ? ref : JSON_REF
}

function choiceOf(difference: Difference, types: readonly string[]): ChoiceModel {
  if (difference.by === 'value') {
    const { property, values } = difference
    return {
      by: 'value',
      property,
      members: types.map((type, i) => ({ type, values: values[i] ?? [] })),
    }
  }
  const { properties } = difference
  return { by: 'name', members: types.map((type, i) => ({ type, property: properties[i] ?? '' })) }
}
