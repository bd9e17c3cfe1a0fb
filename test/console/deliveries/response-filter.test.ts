import { expect, test } from 'vitest'
import { RESPONSES, responseFilter } from '../../../src/console/deliveries/list/response-filter.ts'

const FAILED = ['REDIRECTION_3XX', 'CLIENT_ERROR_4XX', 'SERVER_ERROR_5XX', 'NO_RESPONSE']

test('any failure is an outcome, and other responses are status classes', () => {
  expect(responseFilter(['FAILED'])).toEqual({ statusClasses: FAILED })
  expect(responseFilter(['SERVER_ERROR_5XX', 'NO_RESPONSE'])).toEqual({
    statusClasses: ['SERVER_ERROR_5XX', 'NO_RESPONSE'],
  })
  for (const { value } of RESPONSES) expect(responseFilter([value])).not.toEqual({})
})

test('any failure includes each of its classes, and with successes it is everything', () => {
  expect(responseFilter(['FAILED', 'SERVER_ERROR_5XX'])).toEqual({ statusClasses: FAILED })
  expect(responseFilter(['FAILED', 'SUCCESS_2XX'])).toEqual({})
  expect(responseFilter([])).toEqual({})
})
