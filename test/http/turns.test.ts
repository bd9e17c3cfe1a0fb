import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from '../../src/http/turns.ts'
import { until } from '../support/until.ts'

/** Takes turns, and records which have started. Owners stay active. */
function recordTurns() {
  const turns = createTurns({
    aloneBytes: 100,
    sharedBytes: 50,
    largeBytes: 40,
    activeMs: 1_000_000,
  })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  return {
    started,
    note: turns.note,
    async take(name: string, bytes: number, owner = 'a') {
      turns.note(owner)
      void turns.take(owner, bytes, 1).then((end) => {
        started.push(name)
        ends.set(name, end)
      })
      await nextTurn()
    },
    async end(name: string) {
      ends.get(name)?.()
      await nextTurn()
    },
  }
}

test('requests of an owner run together up to a size, and the others in the order of their arrival', async () => {
  const turns = recordTurns()
  for (const name of ['1', '2', '3', '4']) await turns.take(name, 45)
  expect(turns.started).toEqual(['1', '2'])
  await turns.end('2')
  expect(turns.started).toEqual(['1', '2', '3'])
  await turns.end('1')
  await turns.end('3')
  expect(turns.started).toEqual(['1', '2', '3', '4'])
})

test('a larger request runs alone, and smaller ones do not overtake it', async () => {
  const turns = recordTurns()
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
  const turns = recordTurns()
  for (let i = 0; i < 50; i++) await turns.take(`a${i}`, 1_000)
  await turns.take('b', 1_000, 'b')
  expect(turns.started).toEqual(['a0', 'b'])
})

test('while another owner is active, fewer run together, and large ones alone', async () => {
  const turns = recordTurns()
  turns.note('b')
  for (const name of ['1', '2', '3']) await turns.take(name, 20)
  expect(turns.started).toEqual(['1', '2'])
  await turns.take('4', 40)
  await turns.take('5', 5)
  await turns.end('1')
  await turns.end('2')
  expect(turns.started).toEqual(['1', '2', '3'])
  await turns.end('3')
  expect(turns.started).toEqual(['1', '2', '3', '4'])
  await turns.end('4')
  await until(() => turns.started.length === 5, 'the next one runs after a pause')
})

test('after a large request, its owner pauses for as long as it was busy, and others do not', async () => {
  const turns = recordTurns()
  turns.note('b')
  await turns.take('1', 40)
  const busyUntil = performance.now() + 100
  while (performance.now() < busyUntil);
  const endedAt = performance.now()
  await turns.end('1')
  await turns.take('2', 5)
  await turns.take('of b', 40, 'b')
  expect(turns.started).toEqual(['1', 'of b'])
  await until(() => turns.started.includes('2'), 'the owner goes on')
  expect(performance.now() - endedAt).toBeGreaterThan(90)
})
