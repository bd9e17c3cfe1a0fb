import { EventEmitter } from 'node:events'
import type { WorkerEvents } from 'graphile-worker'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { pollWhileBusy } from '../../src/worker/poll-while-busy.ts'

let events: WorkerEvents
let looks: number

beforeEach(() => {
  vi.useFakeTimers()
  looks = 0
  events = new EventEmitter()
  pollWhileBusy(events)
  const localQueue = {
    pulse() {
      looks += 1
    },
  }
  events.emit('localQueue:init', { localQueue } as never)
})
afterEach(() => void vi.useRealTimers())

const startJob = () => events.emit('job:start', {} as never)

test('what became due is looked for ten times a second while jobs are run, and for a second after the last', () => {
  for (let i = 0; i < 50; i++) {
    startJob()
    vi.advanceTimersByTime(20)
  }
  expect(looks).toBe(10)
  // The last job began before the last of these.
  vi.advanceTimersByTime(1_000)
  expect(looks).toBe(19)
  vi.advanceTimersByTime(60_000)
  expect(looks).toBe(19)

  startJob()
  vi.advanceTimersByTime(100)
  expect(looks).toBe(20)
})

test('where nothing is run, that is left to the queue', () => {
  vi.advanceTimersByTime(60_000)
  expect(looks).toBe(0)
})
