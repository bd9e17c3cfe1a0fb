import { expect, test } from 'vitest'
import { deliveryFilter } from '../../../packages/console/deliveries/list/delivery-filter.ts'

const FAILED = ['REDIRECTION_3XX', 'CLIENT_ERROR_4XX', 'SERVER_ERROR_5XX', 'NO_RESPONSE']

const since = '2026-01-31T12:00:00.000Z'

test('without a value in the address, nothing is filtered', () => {
  expect(deliveryFilter({}, {}, null)).toEqual({})
})

test('several values of each filter come from the address', () => {
  const values = {
    webhook: 'wh_a,wh_b,wh_a',
    state: 'RETRYING,EXHAUSTED',
    status: 'CLIENT_ERROR_4XX,NO_RESPONSE',
    type: 'order.placed,order.refunded',
  }
  expect(deliveryFilter(values, {}, null)).toEqual({
    webhookIds: ['wh_a', 'wh_b'],
    states: ['RETRYING', 'EXHAUSTED'],
    statusClasses: ['CLIENT_ERROR_4XX', 'NO_RESPONSE'],
    eventTypes: ['order.placed', 'order.refunded'],
  })
})

test('a failure in the last hour is one of any attempt, not only of the last', () => {
  const values = { status: 'FAILED' }
  expect(deliveryFilter(values, {}, null)).toEqual({ statusClasses: FAILED })
  expect(deliveryFilter(values, { since }, null)).toEqual({
    anyAttempt: { statusClasses: FAILED, since },
  })
  const slow = { cause: '502,response_timed_out', duration: '5000' }
  expect(deliveryFilter(slow, {}, null)).toEqual({
    anyAttempt: { causes: ['502', 'response_timed_out'], minDurationMs: 5_000 },
  })
})

test('a search key needs its path and its value', () => {
  expect(deliveryFilter({ key: '$.order', value: '87012' }, {}, null)).toEqual({
    key: { path: '$.order', equals: '87012' },
  })
  expect(deliveryFilter({ key: '$.order' }, {}, null)).toEqual({})
})

test('values that no filter has are ignored', () => {
  expect(deliveryFilter({ state: 'NOPE,', duration: '7' }, {}, null)).toEqual({})
})

test('a session that is restricted to one webhook filters by this webhook only', () => {
  expect(deliveryFilter({ webhook: 'wh_b' }, {}, 'wh_a')).toEqual({
    webhookIds: ['wh_a'],
  })
})
