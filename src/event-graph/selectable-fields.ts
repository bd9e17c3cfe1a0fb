import { type PathStep, printPath } from '../lib/json-path.ts'
import type { EventModel, FieldModel, TypeModel, TypeRef } from './model.ts'

/** A field that a selection on an event type can have. */
export interface SelectableField {
  /** The names of the fields from the event type to this one. */
  readonly path: readonly string[]
  readonly name: string
  /** In the schema definition language: `[OrderPaid_Lines]`. */
  readonly type: string
  /** Whether the type is an object or a union, of which a selection selects fields. */
  readonly hasFields: boolean
  /** The type that a selection names before the field: a member of the union that the parent is. Null: none. */
  readonly onType: string | null
  readonly description: string | null
  /** The JSONPath of the values in the data. */
  readonly jsonPath: string
}

/** A schema that refers to itself has fields without end. */
const MAX_LEVELS = 8
const MAX_FIELDS = 500

/** The fields for the properties of `data`, in the order of the schema, each before the fields in it. */
export function selectableFields(model: EventModel): SelectableField[] {
  const types = new Map<string, TypeModel>(model.types.map((type) => [type.name, type]))
  types.set(model.dataTypeName, {
    kind: 'object',
    name: model.dataTypeName,
    description: null,
    fields: model.fields,
  })
  const found: SelectableField[] = []
  visit(model.fields, { path: [], steps: [], onType: null, within: [model.dataTypeName] })
  return found

  function visit(fields: readonly FieldModel[], parent: Parent): void {
    for (const field of fields) {
      if (found.length >= MAX_FIELDS) return
      const type = types.get(namedType(field.type))
      const hasFields = type?.kind === 'object' || type?.kind === 'union'
      const { name, property, description } = field
      const path = [...parent.path, name]
      const steps = [...parent.steps, { name: property }, ...itemSteps(field.type)]
      found.push({
        path,
        name,
        type: printRef(field.type),
        hasFields,
        onType: parent.onType,
        description,
        jsonPath: printPath(steps),
      })
      if (hasFields) visitType(type, { ...parent, path, steps, onType: null })
    }
  }

  function visitType(type: TypeModel, parent: Parent): void {
    if (parent.path.length >= MAX_LEVELS || parent.within.includes(type.name)) return
    const within = [...parent.within, type.name]
    if (type.kind === 'object') {
      visit(type.fields, { ...parent, within })
    } else if (type.kind === 'union') {
      for (const member of type.choice.members) {
        const object = types.get(member.type)
        if (object?.kind !== 'object' || within.includes(object.name)) continue
        const onType = object.name
        visit(object.fields, { ...parent, onType, within: [...within, onType] })
      }
    }
  }
}

interface Parent {
  readonly path: readonly string[]
  readonly steps: readonly PathStep[]
  readonly onType: string | null
  /** The types that lead here: none of them is entered again. */
  readonly within: readonly string[]
}

function namedType(ref: TypeRef): string {
  return ref.kind === 'list' ? namedType(ref.of) : ref.name
}

function printRef(ref: TypeRef): string {
  return ref.kind === 'list' ? `[${printRef(ref.of)}]` : ref.name
}

function itemSteps(ref: TypeRef): PathStep[] {
  return ref.kind === 'list' ? [{ eachItem: true }, ...itemSteps(ref.of)] : []
}
