import { Session } from 'node:inspector/promises'
import { afterAll, expect, test } from 'vitest'
import { watchMemory } from '../../src/lib/memory.ts'
import { until } from '../support/until.ts'

const inspector = new Session()
inspector.connect()
afterAll(() => inspector.disconnect())

test('a collection that leaves little room drops what can be made again, until one leaves enough', async () => {
  let used = 0.79
  const changes: boolean[] = []
  let dropped = 0
  using memory = watchMemory(
    (isShort) => changes.push(isShort),
    () => used,
  )
  memory.onShort(() => dropped++)
  const collectWith = async (share: number, isDone: () => boolean) => {
    used = share
    await inspector.post('HeapProfiler.collectGarbage')
    await until(isDone, `a collection that leaves ${share} was seen`)
  }
  await collectWith(0.8, () => dropped === 1)
  expect(memory.isShort).toBe(true)
  await collectWith(0.9, () => dropped === 2)
  expect(changes).toEqual([true])
  await collectWith(0.69, () => !memory.isShort)
  expect(changes).toEqual([true, false])
  expect(dropped).toBe(2)
})
