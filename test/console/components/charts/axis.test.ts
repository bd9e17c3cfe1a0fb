import { describe, expect, test } from 'vitest'
import { axisStep, labeledIndices } from '../../../../src/console/components/charts/axis.ts'

describe('the scale of a chart', () => {
  test.each([
    [0, 1],
    [1, 1],
    [4, 1],
    [5, 2],
    [9, 3],
    [17, 5],
    [40, 10],
    [41, 20],
    [100, 25],
    [3_603, 1_000],
    [8_000, 2_000],
    [1_000_000, 250_000],
  ])('of up to %i has four steps of %i', (largest, step) => {
    expect(axisStep(largest, 4)).toBe(step)
    expect(4 * step).toBeGreaterThanOrEqual(largest)
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
