/** A document with the types of its data and variables, as GraphQL Code Generator writes it with `documentMode: 'string'`. */
export interface TypedDocument<Data, Variables> extends DocumentTypeDecoration<Data, Variables> {
  toString(): string
}

/** The generated documents use this name. */
export interface DocumentTypeDecoration<Data, Variables> {
  __apiType?: (variables: Variables) => Data
}
