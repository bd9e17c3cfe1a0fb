import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createIsBusy } from '../../src/worker/is-busy.ts'

test('a thread without a pause is busy, and no longer so after one', async () => {
  const isBusy = createIsBusy()
  await sleep(150)
  expect(isBusy()).toBe(false)
  // A fresh turn of the loop, of which nothing is idle.
  const until = performance.now() + 2_000
  while (performance.now() < until);
  expect(isBusy()).toBe(true)
  await sleep(50)
  expect(isBusy()).toBe(true)
  await sleep(150)
  expect(isBusy()).toBe(false)
})
