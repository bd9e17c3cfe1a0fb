import { beforeEach, expect, test } from 'vitest'
import { createHandOver, type HandOver, type TakingWorker } from '../../src/queue/hand-over.ts'

let handOver: HandOver
let told: string[]

beforeEach(() => {
  handOver = createHandOver()
  told = []
})

const worker = (poolId: string, room: number): TakingWorker => ({
  poolId,
  room: () => room,
  begin: (deliveries) => void told.push(`${poolId} begins ${deliveries.length}`),
  lose: () => void told.push(`${poolId} may hold more`),
})

test('there are no places without a worker, nor with one that has no room', () => {
  expect(handOver.reserve(1)).toBeNull()
  const attending = handOver.attend(worker('first', 0))
  expect(handOver.reserve(1)).toBeNull()
  attending[Symbol.dispose]()
  handOver.attend(worker('second', 1))[Symbol.dispose]()
  expect(handOver.reserve(1)).toBeNull()
})

test('a place is given once at a time, and again when it is free, in whichever way', () => {
  handOver.attend(worker('pool', 3))
  const places = handOver.reserve(2)
  expect(places).toMatchObject({ poolId: 'pool', count: 2 })
  const rest = handOver.reserve(2)
  expect(rest?.count).toBe(1)
  expect(handOver.reserve(1)).toBeNull()

  places?.cancel()
  expect(handOver.reserve(3)?.count).toBe(2)
  rest?.begin([], 0)
  const last = handOver.reserve(3)
  expect(last?.count).toBe(1)
  last?.lose()
  expect(handOver.reserve(3)?.count).toBe(1)
  expect(told).toEqual(['pool begins 0', 'pool may hold more'])
})

test('a worker that begins takes the place of the one that ends, which is told of what was reserved with it', () => {
  const first = handOver.attend(worker('first', 1))
  const places = handOver.reserve(1)
  handOver.attend(worker('second', 2))
  first[Symbol.dispose]()
  expect(handOver.reserve(1)?.poolId).toBe('second')
  places?.begin([], 0)
  expect(told).toEqual(['first begins 0'])
})
