import { expect, test } from 'vitest'
import { createSampler } from '../../../src/console/attempts/follow/sampler.ts'
import { tailSentence } from '../../../src/console/attempts/follow/tail-sentence.ts'

/** Feeds a sampler at a constant rate and paints four times a second, with a simulated clock. */
function runSampler(seconds: number, perSecond: number) {
  const sampler = createSampler<number>({ perPaint: 20 })
  const painted: number[][] = []
  let item = 0
  for (let ms = 0; ms < seconds * 1_000; ms++) {
    const end = Math.floor(((ms + 1) * perSecond) / 1_000)
    while (item < end) sampler.add(item++, ms)
    if (ms % 250 === 249) painted.push(sampler.take())
  }
  return { painted, rate: sampler.rate(seconds * 1_000) }
}

test('of 1,000 items a second, 80 are shown, and both rates are reported', () => {
  const { painted, rate } = runSampler(5, 1_000)
  expect(painted.every((rows) => rows.length === 20)).toBe(true)
  expect(rate).toEqual({ received: 1_000, shown: 80 })
  expect(tailSentence(rate)).toBe('Showing 80 of 1,000 attempts per second (a random sample).')
})

test('a readable rate is shown completely, newest first, without duplicates', () => {
  const { painted, rate } = runSampler(3, 40)
  const shown = painted.flatMap((rows) => rows.toReversed())
  expect(shown).toEqual(Array.from({ length: 120 }, (_, index) => index))
  expect(tailSentence(rate)).toBe('40 attempts per second.')
})

test('every item has the same chance to be shown', () => {
  const counts = new Array<number>(100).fill(0)
  for (let round = 0; round < 2_000; round++) {
    const sampler = createSampler<number>({ perPaint: 20 })
    for (let item = 0; item < 100; item++) sampler.add(item, 0)
    for (const item of sampler.take()) counts[item] = (counts[item] ?? 0) + 1
  }
  // 400 each are expected, with a standard deviation of 18. The bounds are 6 deviations away.
  expect(Math.min(...counts)).toBeGreaterThan(290)
  expect(Math.max(...counts)).toBeLessThan(510)
})

test('the rate covers only the last second', () => {
  const sampler = createSampler<number>({ perPaint: 20 })
  for (let item = 0; item < 50; item++) sampler.add(item, 0)
  sampler.take()
  expect(sampler.rate(500)).toEqual({ received: 50, shown: 20 })
  expect(sampler.rate(1_200)).toEqual({ received: 0, shown: 0 })
})
