import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPayloadMemory } from '../../../src/deliveries/attempts/payload-memory.ts'

const TOTAL = 1_000

/** The names of the payloads that have room, and a way to end them. */
function open() {
  const memory = createPayloadMemory(TOTAL)
  const sending = new Map<string, () => void>()
  return {
    async add(name: string, organizationId: string, bytes: number) {
      void memory.acquire(organizationId, bytes).then((release) => sending.set(name, release))
      await setImmediate()
    },
    async end(name: string) {
      sending.get(name)?.()
      sending.delete(name)
      await setImmediate()
    },
    sending: () => [...sending.keys()],
  }
}

test('the payloads of one organization have four fifths of the memory, and the others wait in order', async () => {
  const { add, end, sending } = open()
  for (const name of ['1', '2', '3']) await add(name, 'a', 300)
  await add('4', 'a', 10)
  expect(sending()).toEqual(['1', '2'])
  await end('1')
  expect(sending()).toEqual(['2', '3', '4'])
})

test('they leave memory to another organization', async () => {
  const { add, end, sending } = open()
  for (const name of ['1', '2', '3', '4', '5']) await add(name, 'a', 200)
  await add('other', 'b', 150)
  expect(sending()).toEqual(['1', '2', '3', '4', 'other'])
  await end('1')
  expect(sending()).not.toContain('5')
  await end('other')
  expect(sending()).toContain('5')
})

test('all memory is free again after the last one', async () => {
  const { add, end, sending } = open()
  for (const name of ['1', '2']) await add(name, 'a', 400)
  await end('1')
  await end('2')
  await add('3', 'b', 800)
  expect(sending()).toEqual(['3'])
})
