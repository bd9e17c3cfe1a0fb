import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { Context } from '../context.ts'
import type { ResponseSize } from './response-size.ts'

/**
 * Returns an error instead of a response that becomes too large. The fields of that response stay pending forever (see
 * response-size-plugin.ts), so its execution is not awaited.
 */
export function useResponseSize(): Plugin<Context> {
  return {
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn((args) => withinSize(sizeOf(args), () => executeFn(args)))
    },
    onSubscribe: ({ args }) => ({
      onSubscribeResult({ result, setResult }) {
        if (isAsyncIterable(result)) setResult(eachWithinSize(sizeOf(args), result))
      },
    }),
  }
}

function sizeOf({ contextValue }: { readonly contextValue?: unknown }): ResponseSize {
  return (contextValue as Context).responseSize
}

async function withinSize<Result>(
  responseSize: ResponseSize,
  execute: () => Result | Promise<Result>,
): Promise<Result | ExecutionResult> {
  const exceeded = responseSize.begin().then((error) => ({ errors: [error] }))
  return await Promise.race([execute(), exceeded])
}

/** The stream ends after the error for an event that is too large. */
function eachWithinSize(
  responseSize: ResponseSize,
  results: AsyncIterable<ExecutionResult>,
): AsyncIterableIterator<ExecutionResult> {
  const iterator = results[Symbol.asyncIterator]()
  let ended = false

  async function end(): Promise<IteratorResult<ExecutionResult>> {
    ended = true
    // Not awaited: the iterator may be waiting for the abandoned event.
    iterator.return?.()?.catch(() => {})
    return { done: true, value: undefined }
  }

  return {
    async next() {
      if (ended) return await end()
      const exceeded = responseSize.begin().then((error) => {
        ended = true
        return { done: false, value: { errors: [error] } }
      })
      return await Promise.race([iterator.next(), exceeded])
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
