import { createGraphQLError } from 'graphql-yoga'
import { DomainError } from '../lib/errors.ts'

const EXTEND_EVERY_MS = 30_000

/**
 * Extends a temporary webhook while its stream is open. The stream ends with an error when the webhook was deleted. It
 * survives an outage of Postgres, which a later extension may find over.
 */
export function extendWhileOpen<Item>(
  stream: AsyncIterable<Item>,
  extend: () => Promise<void>,
): AsyncIterableIterator<Item> {
  const iterator = stream[Symbol.asyncIterator]()
  /** Rejects the pending read. */
  let fail: (error: unknown) => void = () => {}
  const timer = setInterval(() => {
    extend().catch((error) => {
      if (!(error instanceof DomainError && error.code === 'not_found')) return
      fail(createGraphQLError(error.message, { extensions: { code: 'NOT_FOUND' } }))
    })
  }, EXTEND_EVERY_MS)
  timer.unref()

  async function end(): Promise<IteratorResult<Item>> {
    clearInterval(timer)
    await iterator.return?.()
    return { done: true, value: undefined }
  }

  return {
    async next() {
      try {
        const result = await new Promise<IteratorResult<Item>>((resolve, reject) => {
          fail = reject
          iterator.next().then(resolve, reject)
        })
        if (result.done) clearInterval(timer)
        return result
      } catch (error) {
        await end()
        throw error
      }
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
