/** An event type as the event graph needs it. */
export interface SourceType {
  readonly name: string
  readonly description: string
  /** The text of the JSON Schema. Null: any JSON is valid. */
  readonly schema: string | null
}

/** The object type of an event type, with the types that its fields need. Plain data. */
export interface EventModel {
  /** `order.paid` */
  readonly name: string
  /** `OrderPaid` */
  readonly typeName: string
  readonly description: string
  /** The fields for the properties of `data`. Empty: the schema names none. */
  readonly fields: readonly FieldModel[]
  /** The name of the object type of `previous`, which has the same fields. */
  readonly dataTypeName: string
  readonly types: readonly TypeModel[]
}

export interface FieldModel {
  /** In GraphQL. */
  readonly name: string
  /** In JSON. */
  readonly property: string
  readonly type: TypeRef
  readonly description: string | null
  readonly isDeprecated: boolean
}

export type ScalarName = 'String' | 'Boolean' | 'Float' | 'Int' | 'JSON'

export type TypeRef =
  | { readonly kind: 'scalar'; readonly name: ScalarName }
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'list'; readonly of: TypeRef }

export type TypeModel = ObjectModel | EnumModel

export interface ObjectModel {
  readonly kind: 'object'
  readonly name: string
  readonly description: string | null
  readonly fields: readonly FieldModel[]
}

export interface EnumModel {
  readonly kind: 'enum'
  readonly name: string
  readonly description: string | null
  readonly values: readonly string[]
}
