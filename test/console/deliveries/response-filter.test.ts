import { expect, test } from 'vitest'
import { RESPONSES, responseFilter } from '../../../src/console/deliveries/response-filter.ts'

test('any failure is an outcome, and each other response a status class', () => {
  expect(responseFilter('FAILED')).toEqual({ outcome: 'FAILED' })
  expect(responseFilter('SERVER_ERROR_5XX')).toEqual({ statusClasses: ['SERVER_ERROR_5XX'] })
  for (const { value } of RESPONSES) expect(responseFilter(value)).not.toEqual({})
})

test.each([null, '', 'SERVER_ERROR_6XX'])('%j in an address filters nothing', (value) => {
  expect(responseFilter(value)).toEqual({})
})
