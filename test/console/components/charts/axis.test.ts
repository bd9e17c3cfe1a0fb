import { describe, expect, test } from 'vitest'
import { labeledIndices, ticksOf } from '../../../../src/console/components/charts/plot/axis.ts'

describe('the ticks of a chart', () => {
  test.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [9, [0, 2, 4, 6, 8, 10]],
    [206, [0, 50, 100, 150, 200, 250]],
    [11_000, [0, 2_500, 5_000, 7_500, 10_000, 12_500]],
    [43_000, [0, 10_000, 20_000, 30_000, 40_000, 50_000]],
  ])('up to %i are %j: the last just above the data', (largest, ticks) => {
    expect(ticksOf(largest)).toEqual(ticks)
  })

  test('of values that are not whole may be below 1', () => {
    expect(ticksOf(0.4, false)).toEqual([0, 0.1, 0.2, 0.30000000000000004, 0.4])
    expect(ticksOf(0, false)).toEqual([0, 1])
  })
})

describe('the time labels of a chart', () => {
  test('are evenly spaced, as many as fit', () => {
    expect([...labeledIndices(24, 840, 84)]).toEqual([0, 3, 6, 9, 12, 15, 18, 21])
    expect([...labeledIndices(7, 840, 84)]).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect([...labeledIndices(60, 250, 84)]).toEqual([0, 30])
  })

  test('are one if none fits, and none without buckets', () => {
    expect([...labeledIndices(5, 0, 84)]).toEqual([0])
    expect([...labeledIndices(0, 840, 84)]).toEqual([])
  })
})
