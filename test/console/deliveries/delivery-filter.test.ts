import { expect, test } from 'vitest'
import { deliveryFilter } from '../../../packages/console/deliveries/list/delivery-filter.ts'

const FAILED = ['REDIRECTION_3XX', 'CLIENT_ERROR_4XX', 'SERVER_ERROR_5XX', 'NO_RESPONSE']

const NONE = {
  webhook: null,
  state: null,
  status: null,
  cause: null,
  type: null,
  duration: null,
  key: null,
  value: null,
}
const OTHERS = { created: {}, attempted: {}, onlyWebhookId: null }
const since = '2026-01-31T12:00:00.000Z'

test('without a value in the address, nothing is filtered', () => {
  expect(deliveryFilter(NONE, OTHERS)).toEqual({})
})

test('several values of each filter come from the address', () => {
  const values = {
    ...NONE,
    webhook: 'wh_a,wh_b,wh_a',
    state: 'RETRYING,EXHAUSTED',
    status: 'CLIENT_ERROR_4XX,NO_RESPONSE',
    type: 'order.placed,order.refunded',
  }
  expect(deliveryFilter(values, OTHERS)).toEqual({
    webhookIds: ['wh_a', 'wh_b'],
    states: ['RETRYING', 'EXHAUSTED'],
    statusClasses: ['CLIENT_ERROR_4XX', 'NO_RESPONSE'],
    eventTypes: ['order.placed', 'order.refunded'],
  })
})

test('a failure in the last hour is one of any attempt, not only of the last', () => {
  const values = { ...NONE, status: 'FAILED' }
  expect(deliveryFilter(values, OTHERS)).toEqual({ statusClasses: FAILED })
  expect(deliveryFilter(values, { ...OTHERS, attempted: { since } })).toEqual({
    anyAttempt: { statusClasses: FAILED, since },
  })
  const slow = { ...NONE, cause: '502,response_timed_out', duration: '5000' }
  expect(deliveryFilter(slow, { ...OTHERS, created: { since } })).toEqual({
    since,
    anyAttempt: { causes: ['502', 'response_timed_out'], minDurationMs: 5_000 },
  })
})

test('a search key needs its path and its value', () => {
  expect(deliveryFilter({ ...NONE, key: '$.order', value: '87012' }, OTHERS)).toEqual({
    key: { path: '$.order', equals: '87012' },
  })
  expect(deliveryFilter({ ...NONE, key: '$.order' }, OTHERS)).toEqual({})
})

test('values that no filter has are ignored', () => {
  expect(deliveryFilter({ ...NONE, state: 'NOPE,', duration: '7' }, OTHERS)).toEqual({})
})

test('a session that is restricted to one webhook filters by this webhook only', () => {
  expect(
    deliveryFilter({ ...NONE, webhook: 'wh_b' }, { ...OTHERS, onlyWebhookId: 'wh_a' }),
  ).toEqual({
    webhookIds: ['wh_a'],
  })
})
