import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { extendWhileOpen } from '../../src/forwarding/extend-while-open.ts'
import { notFound } from '../../src/lib/errors.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** A stream that is quiet until it is closed. */
function quietStream() {
  const closed = Promise.withResolvers<IteratorResult<string>>()
  return {
    isClosed: false,
    next: () => closed.promise,
    async return() {
      this.isClosed = true
      closed.resolve({ done: true, value: undefined })
      return { done: true as const, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

test('an open stream extends its webhook every 30 seconds, and a closed one no longer', async () => {
  let extensions = 0
  const stream = quietStream()
  const extending = extendWhileOpen(stream, async () => void extensions++)
  const read = extending.next()
  vi.advanceTimersByTime(90_000)
  expect(extensions).toBe(3)
  await extending.return?.()
  expect(await read).toEqual({ done: true, value: undefined })
  vi.advanceTimersByTime(90_000)
  expect([extensions, stream.isClosed]).toEqual([3, true])
})

test('the stream of a deleted webhook ends with NOT_FOUND', async () => {
  const stream = quietStream()
  const extending = extendWhileOpen(stream, () =>
    Promise.reject(notFound('temporary webhook', 'x')),
  )
  const read = extending.next()
  vi.advanceTimersByTime(30_000)
  await expect(read).rejects.toMatchObject({
    message: 'There is no temporary webhook "x".',
    extensions: { code: 'NOT_FOUND' },
  })
  expect(stream.isClosed).toBe(true)
})

test('an outage of Postgres does not end the stream', async () => {
  const stream = quietStream()
  let fails = true
  let extensions = 0
  const extending = extendWhileOpen(stream, async () => {
    if (fails) throw new Error('connect ECONNREFUSED')
    extensions++
  })
  const read = extending.next()
  vi.advanceTimersByTime(30_000)
  fails = false
  vi.advanceTimersByTime(30_000)
  expect([extensions, stream.isClosed]).toEqual([1, false])
  await extending.return?.()
  expect(await read).toMatchObject({ done: true })
})
