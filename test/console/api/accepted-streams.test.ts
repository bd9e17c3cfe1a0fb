import { beforeEach, expect, test } from 'vitest'
import { followStream, noteAcceptance } from '../../../src/console/api/accepted-streams.ts'

let key = 0
beforeEach(() => {
  key += 1
})

test('each follower learns that the server accepts the stream, also one that comes later', () => {
  const told: string[] = []
  const follow = (name: string) => followStream(key, () => told.push(name))
  follow('first')
  follow('second')
  expect(told).toEqual([])
  noteAcceptance(key)
  expect(told).toEqual(['first', 'second'])
  follow('third')
  expect(told).toEqual(['first', 'second', 'third'])
})

test('a follower that has left learns nothing, and the next stream waits for its own acceptance', () => {
  const told: string[] = []
  const unfollow = followStream(key, () => told.push('first'))
  unfollow()
  noteAcceptance(key)
  const leave = followStream(key, () => told.push('second'))
  expect(told).toEqual([])
  noteAcceptance(key)
  leave()
  followStream(key, () => told.push('third'))
  expect(told).toEqual(['second'])
})

test('a stream is accepted for its followers only', () => {
  const told: string[] = []
  followStream(key, () => told.push('followed'))
  noteAcceptance(-key)
  expect(told).toEqual([])
})
