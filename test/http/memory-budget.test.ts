import { expect, test } from 'vitest'
import { createMemoryBudget } from '../../src/http/memory-budget.ts'
import { DomainError } from '../../src/lib/errors.ts'

const TOTAL = 1_024

function resultOf(act: () => void): string {
  try {
    act()
    return 'granted'
  } catch (error) {
    if (error instanceof DomainError) return `${error.code}, ${error.retryAfterSeconds} s`
    throw error
  }
}

test('an owner may use a quarter of an unused budget, in one request or in many', () => {
  const budget = createMemoryBudget(TOTAL)
  const one = budget.open('a')
  expect(resultOf(() => one.resize(256))).toBe('granted')
  expect(resultOf(() => one.resize(257))).toBe('rate_limited, 1 s')
  one.resize(56)
  for (let i = 0; i < 4; i++) budget.open('a').resize(50)
  expect(resultOf(() => budget.open('a').resize(1))).toBe('rate_limited, 1 s')
})

test('beside owners that take all they get, the next one gets a quarter of the rest', () => {
  const budget = createMemoryBudget(TOTAL)
  for (const share of [256, 192, 144, 108, 81]) {
    const owner = `owner of ${share}`
    for (let i = 0; i < share; i++) budget.open(owner).resize(1)
    expect(resultOf(() => budget.open(owner).resize(1))).toBe('rate_limited, 1 s')
  }
})

test('an owner that uses nothing gets "unavailable" for more than is left', () => {
  const budget = createMemoryBudget(TOTAL)
  budget.open('a').resize(256)
  expect(resultOf(() => budget.open('b').resize(193))).toBe('unavailable, 1 s')
  expect(resultOf(() => budget.open('b').resize(192))).toBe('granted')
})

test('what is rejected is not counted, and what is released is free again', () => {
  const budget = createMemoryBudget(TOTAL)
  const allocation = budget.open('a')
  allocation.resize(200)
  expect(resultOf(() => allocation.resize(300))).toBe('rate_limited, 1 s')
  expect(resultOf(() => budget.open('a').resize(56))).toBe('granted')
  allocation.force(0)
  expect(resultOf(() => budget.open('a').resize(200))).toBe('granted')
})

test('bytes that exist already count beyond the budget too', () => {
  const budget = createMemoryBudget(TOTAL)
  const allocation = budget.open('a')
  allocation.force(2_000)
  expect(resultOf(() => budget.open('b').resize(1))).toBe('unavailable, 1 s')
  allocation.force(0)
  expect(resultOf(() => budget.open('b').resize(256))).toBe('granted')
})
