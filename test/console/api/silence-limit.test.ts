import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { limitSilence } from '../../../packages/console/api/silence-limit.ts'

const LIMIT_MS = 30_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A response whose text the test sends. */
async function respond(type: string) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const response = new Response(readable, { headers: { 'content-type': type } })
  const { body } = await limitSilence(async () => response, LIMIT_MS)('https://example.com/')
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const writer = writable.getWriter()
  return {
    reader,
    writer,
    async send() {
      const received = reader.read()
      await writer.write(Buffer.from('.'))
      await received
    },
  }
}

test('a stream that falls silent fails after the limit, and not before', async () => {
  const { reader, send } = await respond('text/event-stream')
  for (let sent = 0; sent < 3; sent++) {
    vi.advanceTimersByTime(LIMIT_MS - 1)
    await send()
  }
  vi.advanceTimersByTime(LIMIT_MS)
  await expect(reader.read()).rejects.toThrow('The stream is silent.')
})

test('a stream that ends, and another response, may be silent', async () => {
  const ended = await respond('text/event-stream')
  await ended.writer.close()
  expect(await ended.reader.read()).toMatchObject({ done: true })
  const other = await respond('application/json')
  vi.advanceTimersByTime(2 * LIMIT_MS)
  await other.send()
  expect(vi.getTimerCount()).toBe(0)
})
