import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { FairQueue } from '../../src/db/fair-queue.ts'

test('an owner has at most as much as it leaves, except for one request, and its requests keep their order', async () => {
  const queue = new FairQueue(10)
  const granted: string[] = []
  const acquire = async (owner: string, amount: number) => {
    void queue.acquire(owner, { amount }).then(() => granted.push(`${owner} ${amount}`))
    await setImmediate()
  }
  for (const amount of [6, 3, 1]) await acquire('one', amount)
  await acquire('two', 5)
  await acquire('three', 2)
  expect(granted).toEqual(['one 6', 'three 2'])
  queue.release('one', 6)
  await setImmediate()
  expect(granted).toEqual(['one 6', 'three 2', 'one 3', 'two 5'])
})
