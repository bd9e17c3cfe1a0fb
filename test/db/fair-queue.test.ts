import { expect, test } from 'vitest'
import { FairQueue } from '../../src/db/fair-queue.ts'

/** Owners that ask for a permit each, and those that have got one so far. */
function record(limit: number, owners: readonly (string | null)[]) {
  const queue = new FairQueue(limit)
  const granted: (string | null)[] = []
  const acquire = async (owner: string | null) => {
    if (await queue.acquire(owner)) granted.push(owner)
  }
  for (const owner of owners) void acquire(owner)
  const afterRelease = async (...released: (string | null)[]) => {
    for (const owner of released) queue.release(owner)
    await settled()
    return granted
  }
  return { acquire, afterRelease }
}

/** Permits are given at once, so those who got one know it after the microtasks. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('an owner gets half of the permits, another one half of the rest, and there is one left for the next', async () => {
  const owners = ['a', 'b', 'c'].flatMap((owner) => Array(20).fill(owner))
  const { acquire, afterRelease } = record(16, owners)
  const granted = await afterRelease()
  const count = (owner: string) => granted.filter((each) => each === owner).length
  expect(['a', 'b', 'c'].map(count)).toEqual([8, 4, 2])
  await acquire('d')
  expect(granted.at(-1)).toBe('d')
})

test.each([
  {
    name: 'waiting owners take turns',
    limit: 2,
    owners: ['a', 'b', 'a', 'a', 'a', 'c', 'd'],
    released: ['b', 'c', 'd', 'a'],
    granted: ['a', 'b', 'c', 'd', 'a'],
  },
  {
    name: 'one permit is enough for an owner and for nobody',
    limit: 1,
    owners: ['a', null, 'a'],
    released: ['a', null],
    granted: ['a', null, 'a'],
  },
  {
    name: 'nobody has no limit of its own',
    limit: 4,
    owners: [null, null, null, null, null, null],
    released: [],
    granted: [null, null, null, null],
  },
])('$name', async ({ limit, owners, released, granted }) => {
  expect(await record(limit, owners).afterRelease(...released)).toEqual(granted)
})

test('a wait ends in time, without a permit', async () => {
  const queue = new FairQueue(1)
  expect(await queue.acquire('a')).toBe(true)
  expect(await queue.acquire('b', 1)).toBe(false)
  expect(queue.waiting).toBe(0)
  const third = queue.acquire('c', 60_000)
  queue.release('a')
  expect(await third).toBe(true)
})
