import { expect, test } from 'vitest'
import { createSampler } from '../../../src/console/live/sampler.ts'
import { tailSentence } from '../../../src/console/live/tail-sentence.ts'

/** A second of a thousand things and of four paintings, on a clock of our own. */
function watchSeconds(seconds: number, perSecond: number) {
  const sampler = createSampler<number>({ perPaint: 20 })
  const painted: number[][] = []
  let item = 0
  for (let ms = 0; ms < seconds * 1_000; ms++) {
    const due = Math.floor(((ms + 1) * perSecond) / 1_000)
    while (item < due) sampler.add(item++, ms)
    if (ms % 250 === 249) painted.push(sampler.take())
  }
  return { painted, rate: sampler.rate(seconds * 1_000) }
}

test('of a thousand a second eighty are shown, and both numbers are told', () => {
  const { painted, rate } = watchSeconds(5, 1_000)
  expect(painted.every((rows) => rows.length === 20)).toBe(true)
  expect(rate).toEqual({ came: 1_000, shown: 80 })
  expect(tailSentence(rate)).toBe(
    'Showing 80 of 1,000 a second: a sample of them, taken by chance.',
  )
})

test('what can be read is shown whole, newest first, and nothing twice', () => {
  const { painted, rate } = watchSeconds(3, 40)
  const shown = painted.flatMap((rows) => rows.toReversed())
  expect(shown).toEqual(Array.from({ length: 120 }, (_, index) => index))
  expect(tailSentence(rate)).toBe('40 attempts a second.')
})

test('each has the same chance to be shown, the first as the last', () => {
  const counts = new Array<number>(100).fill(0)
  for (let round = 0; round < 2_000; round++) {
    const sampler = createSampler<number>({ perPaint: 20 })
    for (let item = 0; item < 100; item++) sampler.add(item, 0)
    for (const item of sampler.take()) counts[item] = (counts[item] ?? 0) + 1
  }
  // Expected are 400 each, with a deviation of 18: beyond 6 of those, it is no chance.
  expect(Math.min(...counts)).toBeGreaterThan(290)
  expect(Math.max(...counts)).toBeLessThan(510)
})

test('a second later the rate is forgotten', () => {
  const sampler = createSampler<number>({ perPaint: 20 })
  for (let item = 0; item < 50; item++) sampler.add(item, 0)
  sampler.take()
  expect(sampler.rate(500)).toEqual({ came: 50, shown: 20 })
  expect(sampler.rate(1_200)).toEqual({ came: 0, shown: 0 })
})
