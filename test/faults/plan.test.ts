import { expect, test } from 'vitest'
import { ALL_FAULTS } from './fault.ts'
import { planCombinations } from './plan.ts'
import { seededRandom } from './seeded-random.ts'

const ROUNDS = 300

function plan(seed: number, only = '') {
  const rounds = planCombinations(only, seededRandom(seed))
  return Array.from({ length: ROUNDS }, () => rounds.next().value)
}

test('a round has two to five faults, which do not hit the same program or network', () => {
  for (const faults of plan(1)) {
    expect(faults.length).toBeGreaterThanOrEqual(2)
    expect(faults.length).toBeLessThanOrEqual(5)
    expect(new Set(faults.map(({ subject }) => subject)).size).toBe(faults.length)
  }
})

test('every fault that can be injected here comes, and some come three at once', () => {
  const chosen = new Set(plan(1).flat())
  expect([...ALL_FAULTS].filter((fault) => !fault.missing && !chosen.has(fault))).toEqual([])
  expect(plan(1).some((faults) => faults.length === 3)).toBe(true)
})

test('the same seed gives the same plan, and another seed another', () => {
  const names = (seed: number) => plan(seed).map((faults) => faults.map(({ name }) => name))
  expect(names(1)).toEqual(names(1))
  expect(names(1)).not.toEqual(names(2))
})

test('a text that no fault has is an error', () => {
  expect(() => plan(1, 'an earthquake')).toThrow('--only an earthquake: no fault has a name')
})
