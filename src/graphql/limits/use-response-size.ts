import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { ownerOf } from '../../access/owner-of.ts'
import { type Context, callerOf } from '../context.ts'
import type { Connection } from '../cors.ts'
import { createOnePerTickAndOwner } from '../one-per-tick.ts'
import type { ResponseSize } from './response-size.ts'
import { createStreamMemory, unreadEvents } from './stream-memory.ts'

/**
 * Returns an error instead of a response that becomes too large. The fields of that response stay pending forever (see
 * response-size-plugin.ts), so its execution is not awaited.
 */
export function useResponseSize(): Plugin<Context> {
  const waitForTick = createOnePerTickAndOwner()
  return {
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn((args) => withinSize(sizeOf(args), () => executeFn(args)))
    },
    onSubscribe: ({ args }) => ({
      onSubscribeResult({ result, setResult }) {
        if (!isAsyncIterable(result)) return
        const { memory } = args.contextValue as Connection
        const owner = ownerOf(callerOf(args.contextValue as Context))
        setResult(
          eachWithinSize(result, {
            responseSize: sizeOf(args),
            hasMemory: createStreamMemory(memory),
            waitForTick: () => waitForTick(owner),
          }),
        )
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

interface StreamLimits {
  readonly responseSize: ResponseSize
  readonly hasMemory: (eventBytes: number) => boolean
  /** One event per tick for all streams of an organization, so that many streams leave time to others. */
  readonly waitForTick: () => Promise<void>
}

/** The stream ends after the error for an event that is too large, or for which there is no memory. */
function eachWithinSize(
  results: AsyncIterable<ExecutionResult>,
  { responseSize, hasMemory, waitForTick }: StreamLimits,
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
      await waitForTick()
      if (ended) return await end()
      const exceeded = responseSize.begin().then((error) => {
        ended = true
        return { done: false, value: { errors: [error] } }
      })
      const result = await Promise.race([iterator.next(), exceeded])
      if (ended || result.done || hasMemory(responseSize.bytes)) return result
      ended = true
      return { done: false, value: { errors: [unreadEvents()] } }
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
