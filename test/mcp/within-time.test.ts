import { expect, test } from 'vitest'
import { withinTime } from '../../src/mcp/within-time.ts'

test('a tool that answers in time has its answer, and one that fails its error', async () => {
  expect(await withinTime(Promise.resolve(1))).toBe(1)
  await expect(withinTime(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('a tool that takes too long says to ask for less', async () => {
  await expect(withinTime(new Promise(() => {}), 10)).rejects.toThrow(
    /took longer than 0.01 s.*smaller limit/,
  )
})
