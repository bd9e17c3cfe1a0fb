import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { createEventInterface, createEventType, type SourceType } from './event-types.ts'

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
export function selectableFields(source: SourceType, typeName: string): SelectableField[] {
  const type = createEventType(source, typeName, createEventInterface())
  const data = type.getFields()['previous']?.type
  const found: SelectableField[] = []
  if (isObjectType(data)) visit(data, [], [])
  return found

  /** `around`: the types that lead here. None of them is entered again. */
  function visit(
    object: GraphQLObjectType,
    parent: readonly string[],
    around: readonly GraphQLObjectType[],
  ): void {
    const within = [...around, object]
    for (const field of Object.values(object.getFields())) {
      if (found.length >= MAX_FIELDS) return
      const inner = getNamedType(field.type)
      const path = [...parent, field.name]
      found.push({ path, name: field.name, hasFields: isObjectType(inner) })
      if (isObjectType(inner) && path.length < MAX_LEVELS && !within.includes(inner)) {
        visit(inner, path, within)
      }
    }
  }
}
