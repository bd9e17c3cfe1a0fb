import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { Context } from '../context.ts'
import type { AnswerSize } from './answer-size.ts'

/**
 * Gives an error instead of an answer that becomes too large. Its fields are then left pending for good (see
 * answer-counter.ts), so it is not waited for.
 */
export function useAnswerSize(): Plugin<Context> {
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

function sizeOf({ contextValue }: { readonly contextValue?: unknown }): AnswerSize {
  return (contextValue as Context).answerSize
}

async function withinSize<Result>(
  answerSize: AnswerSize,
  execute: () => Result | Promise<Result>,
): Promise<Result | ExecutionResult> {
  const exceeded = answerSize.begin().then((error) => ({ errors: [error] }))
  return await Promise.race([execute(), exceeded])
}

/** The stream ends with the event that is too large. */
function eachWithinSize(
  answerSize: AnswerSize,
  results: AsyncIterable<ExecutionResult>,
): AsyncIterableIterator<ExecutionResult> {
  const iterator = results[Symbol.asyncIterator]()
  let ended = false

  async function end(): Promise<IteratorResult<ExecutionResult>> {
    ended = true
    // It may wait for the event that was given up.
    iterator.return?.()?.catch(() => {})
    return { done: true, value: undefined }
  }

  return {
    async next() {
      if (ended) return await end()
      const exceeded = answerSize.begin().then((error) => {
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
