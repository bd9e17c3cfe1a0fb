import { getOperationAST } from 'graphql'
import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import { describeRequest } from '../telemetry/request-log.ts'
import { isDocument } from './limits/publishes-only.ts'

/** Adds the operation to the log line of the request, also if the operation is rejected after it is parsed. */
export function useRequestLog(): Plugin<YogaInitialContext> {
  return {
    onParse:
      () =>
      ({ context: { params }, result }) => {
        if (!isDocument(result)) return
        const operation = getOperationAST(result, params.operationName)
        if (!operation) return
        describeRequest({
          operation: { type: operation.operation, name: operation.name?.value },
        })
      },
  }
}
