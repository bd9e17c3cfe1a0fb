import { expect, test } from 'vitest'
import { readEvents } from '../../packages/react/src/client/event-stream.ts'

/** A stream that ends after these chunks, or stays open. */
function streamOf(chunks: readonly string[], { staysOpen = false } = {}) {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk, 'latin1'))
      if (!staysOpen) controller.close()
    },
  })
}

async function eventsOf(text: string, size: number) {
  const bytes = Buffer.from(text).toString('latin1')
  const chunks = bytes.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
  const events = []
  for await (const event of readEvents(streamOf(chunks))) events.push(event)
  return events
}

test.each([1, 2, 3, 7, 1_000])('events are read from chunks of %i bytes', async (size) => {
  const text = ':\n\nevent: next\ndata: {"name":"Zoë"}\n\n:\n\nevent: complete\ndata:\n\n'
  const events = [
    { event: 'next', data: '{"name":"Zoë"}' },
    { event: 'complete', data: '' },
  ]
  expect(await eventsOf(text, size)).toEqual(events)
  expect(await eventsOf(text.replaceAll('\n', '\r\n'), size)).toEqual(events)
})

test('lines of data belong together, and other fields are left out', async () => {
  expect(await eventsOf('id: 1\nevent: next\ndata: one\ndata:two\nretry: 5\n\n', 5)).toEqual([
    { event: 'next', data: 'one\ntwo' },
  ])
})

test('an event that the connection cut off is not read', async () => {
  expect(await eventsOf('event: next\ndata: 1\n\nevent: next\ndata: 2', 4)).toEqual([
    { event: 'next', data: '1' },
  ])
})

test('a silent connection counts as broken', async () => {
  const events = readEvents(streamOf([':\n\n'], { staysOpen: true }), 1)
  await expect(events.next()).rejects.toThrow('The connection is silent.')
})
