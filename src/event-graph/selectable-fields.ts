import type { EventModel, FieldModel, TypeRef } from './model.ts'

/** A field that a selection on an event type can have. */
export interface SelectableField {
  /** The names of the fields from the event type to this one. */
  readonly path: readonly string[]
  readonly name: string
  /** Whether the type is an object, of which a selection selects fields. */
  readonly hasFields: boolean
}

/** A schema that refers to itself has fields without end. */
const MAX_LEVELS = 8
const MAX_FIELDS = 500

/** The fields for the properties of `data`, in the order of the schema, each before the fields in it. */
export function selectableFields({ types, dataTypeName, fields }: EventModel): SelectableField[] {
  const objects = new Map<string, readonly FieldModel[]>()
  for (const type of types) if (type.kind === 'object') objects.set(type.name, type.fields)
  objects.set(dataTypeName, fields)
  const found: SelectableField[] = []
  visit(fields, [], [dataTypeName])
  return found

  /** `within`: the types that lead here: none of them is entered again. */
  function visit(
    list: readonly FieldModel[],
    parent: readonly string[],
    within: readonly string[],
  ): void {
    for (const { name, type } of list) {
      if (found.length >= MAX_FIELDS) return
      const typeName = namedType(type)
      const inner = objects.get(typeName)
      const path = [...parent, name]
      found.push({ path, name, hasFields: inner !== undefined })
      if (inner === undefined || path.length >= MAX_LEVELS || within.includes(typeName)) continue
      visit(inner, path, [...within, typeName])
    }
  }
}

function namedType(ref: TypeRef): string {
  return ref.kind === 'list' ? namedType(ref.of) : ref.name
}
