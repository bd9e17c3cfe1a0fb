import type { OperationResult } from 'urql'
import { describeError } from './request-error.ts'

/** The data of a result. Throws its error in plain words. */
export function dataOf<Data>({ data, error }: OperationResult<Data>): Data {
  if (error) throw new Error(describeError(error).message)
  if (!data) throw new Error('Posthorn sent no data.')
  return data
}
