import type { OperationResult } from 'urql'
import { describeError } from './request-error.ts'

/** The data of a result. Throws its error in plain words. */
export function dataOf<Data>({ data, error }: OperationResult<Data>): Data {
  if (error) throw new Error(describeError(error).message)
  if (!data) throw new Error('Posthorn sent no data.')
  return data
}

interface Connection<Row> {
  readonly nodes: readonly Row[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null }
}

/** The rows of a page, and where the next page begins: null after the last one. */
export function pageOf<Row>(connection: Connection<Row> | null | undefined) {
  const { hasNextPage = false, endCursor = null } = connection?.pageInfo ?? {}
  return { rows: connection?.nodes ?? [], next: hasNextPage ? endCursor : null }
}
