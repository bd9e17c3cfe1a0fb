interface Connection<Row> {
  readonly nodes: readonly Row[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null }
}

/** The rows of a page, and where the next page begins: null after the last one. */
export function pageOf<Row>(connection: Connection<Row> | null | undefined) {
  const { hasNextPage = false, endCursor = null } = connection?.pageInfo ?? {}
  return { rows: connection?.nodes ?? [], next: hasNextPage ? endCursor : null }
}
