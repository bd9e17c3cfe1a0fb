import type { ExecutionResult, GraphQLError } from 'graphql'

/** A result whose data is JSON already. Yoga and the limits of responses send what `stringify` returns. */
export interface PrintedResult extends ExecutionResult {
  readonly stringify: (result: ExecutionResult) => string
}

export function printedResult(data: string, errors: readonly GraphQLError[] = []): PrintedResult {
  return {
    // Of results without data, yoga answers with the status of an error.
    data: {},
    ...(errors.length > 0 && { errors }),
    stringify({ errors: masked, extensions }) {
      const parts = [
        ...(masked?.length ? [`"errors":${JSON.stringify(masked)}`] : []),
        `"data":${data}`,
        ...(extensions && Object.keys(extensions).length > 0
          ? [`"extensions":${JSON.stringify(extensions)}`]
          : []),
      ]
      return `{${parts.join(',')}}`
    },
  }
}
