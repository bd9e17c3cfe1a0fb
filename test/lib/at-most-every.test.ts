import { expect, test } from 'vitest'
import { atMostEvery } from '../../src/lib/at-most-every.ts'
import { until } from '../support/until.ts'

/** Makes numbers, each when it is told to. */
function counter(intervalMs: number) {
  const finish: (() => void)[] = []
  const next = atMostEvery(intervalMs, async () => {
    const number = finish.length
    await new Promise<void>((resolve) => finish.push(resolve))
    return number
  })
  return { next, finish }
}

test('concurrent calls share one result, however long it takes', async () => {
  const { next, finish } = counter(0)
  const calls = [next(), next(), next()]
  finish[0]?.()
  expect(await Promise.all(calls)).toEqual([0, 0, 0])
  expect(finish).toHaveLength(1)
})

test('later calls share it until the interval ends, and then get a new one', async () => {
  const { next, finish } = counter(300)
  const first = next()
  finish[0]?.()
  expect(await first).toBe(0)
  await until(async () => {
    void next()
    return finish.length === 2
  }, 'the next number is made')
  finish[1]?.()
  expect(await next()).toBe(1)
  const long = counter(60_000)
  const once = long.next()
  long.finish[0]?.()
  expect(await once).toBe(0)
  expect(await long.next()).toBe(0)
})

test('an error is shared, and does not stay', async () => {
  let failures = 0
  const next = atMostEvery(0, async () => {
    failures += 1
    if (failures === 1) throw new Error('the first one fails')
    return failures
  })
  const calls = await Promise.allSettled([next(), next()])
  expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await until(async () => (await next().catch(() => 0)) > 1, 'a later call succeeds')
})
