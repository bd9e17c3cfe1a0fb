import { expect, test } from 'vitest'
import { createTurns } from '../../src/http/turns.ts'

/** Takes turns, and records which have started. */
function recordTurns(maxBytes: number) {
  const turns = createTurns(maxBytes)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    started,
    async take(name: string, bytes: number, owner = 'a') {
      void turns.take(owner, bytes).then((end) => {
        started.push(name)
        ends.set(name, end)
      })
      await settle()
    },
    async end(name: string) {
      ends.get(name)?.()
      await settle()
    },
  }
}

test('requests of an owner run together up to a size, and the others in the order of their arrival', async () => {
  const turns = recordTurns(100)
  for (const name of ['1', '2', '3', '4']) await turns.take(name, 40)
  expect(turns.started).toEqual(['1', '2'])
  await turns.end('2')
  expect(turns.started).toEqual(['1', '2', '3'])
  await turns.end('1')
  await turns.end('3')
  expect(turns.started).toEqual(['1', '2', '3', '4'])
})

test('a larger request runs alone, and smaller ones do not overtake it', async () => {
  const turns = recordTurns(100)
  await turns.take('small', 10)
  await turns.take('large', 1_000)
  await turns.take('next', 10)
  expect(turns.started).toEqual(['small'])
  await turns.end('small')
  expect(turns.started).toEqual(['small', 'large'])
  await turns.end('large')
  expect(turns.started).toEqual(['small', 'large', 'next'])
})

test('an owner waits for no other one', async () => {
  const turns = recordTurns(100)
  for (let i = 0; i < 50; i++) await turns.take(`a${i}`, 1_000)
  await turns.take('b', 1_000, 'b')
  expect(turns.started).toEqual(['a0', 'b'])
})
