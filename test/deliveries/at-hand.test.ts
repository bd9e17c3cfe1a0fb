import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { deliveryAtHand, payloadWith } from '../../src/deliveries/at-hand.ts'
import { publicId } from '../../src/ids.ts'

const TAKEN = {
  jobId: '1',
  id: '01936f0e-7c1a-7000-8000-000020000001',
  organizationId: '01936f0e-7c1a-7000-8000-000000000002',
  webhookId: '01936f0e-7c1a-7000-8000-000000000003',
  revision: '7',
  body: '{"data":{}}',
  traceParent: null,
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('what comes with a payload is at hand for a moment, and then to be loaded', () => {
  const payload = payloadWith(TAKEN, performance.now())
  vi.advanceTimersByTime(19)
  expect(deliveryAtHand(payload)).toMatchObject({ id: TAKEN.id, revision: '7', state: 'pending' })
  vi.advanceTimersByTime(1)
  expect(deliveryAtHand(payload)).toBeNull()
})

test('a payload says no more than one that was fetched, and nothing is at hand for that', () => {
  const payload = payloadWith(TAKEN, performance.now())
  const fetched = { deliveryId: publicId('delivery', TAKEN.id) }
  expect(JSON.stringify(payload)).toBe(JSON.stringify(fetched))
  expect(deliveryAtHand(fetched)).toBeNull()
})
