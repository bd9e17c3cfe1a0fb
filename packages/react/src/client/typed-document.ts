/** A document with the types of its data and variables, as GraphQL Code Generator writes it with `documentMode: 'string'`. */
export interface TypedDocument<Data, Variables> extends DocumentTypeDecoration<Data, Variables> {
  toString(): string
  /** The hash is for servers that run trusted documents only. */
  readonly __meta__?: { readonly hash?: string } | undefined
}

/** The generated documents use this name. */
export interface DocumentTypeDecoration<Data, Variables> {
  __apiType?: (variables: Variables) => Data
}
