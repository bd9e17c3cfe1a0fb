import { expect, test } from 'vitest'
import {
  type DeliveryHealth,
  healthSentence,
} from '../../../packages/console/overview/health-sentence.ts'

const NOW_MS = Date.parse('2026-11-27T12:00:00Z')
const minutesAgo = (minutes: number) => new Date(NOW_MS - minutes * 60_000).toISOString()
const CALM: DeliveryHealth = {
  onTimeRate: 1,
  firstAttemptDelay: { p50Ms: 120, p95Ms: 300 },
  responseTime: { p50Ms: 80, p95Ms: 200 },
  waiting: [],
  webhooks: [{ state: 'HEALTHY', count: 39 }],
}
const sentence = (health: Partial<DeliveryHealth>) => healthSentence({ ...CALM, ...health }, NOW_MS)
const KEEPS_UP = 'Posthorn keeps up: 95% of deliveries were first sent within 300 ms.'

test('a calm organization', () => {
  expect(sentence({})).toEqual({ fault: 'none', text: `${KEEPS_UP} All 39 webhooks are healthy.` })
  expect(sentence({ webhooks: [{ state: 'HEALTHY', count: 1 }] }).text).toBe(
    `${KEEPS_UP} The webhook is healthy.`,
  )
})

test('14 of 39 webhooks on hold are theirs, however much waits for them', () => {
  const waiting = [{ reason: 'ON_HOLD' as const, count: 10_000, oldestAt: minutesAgo(4_000) }]
  const webhooks: DeliveryHealth['webhooks'] = [
    { state: 'HEALTHY', count: 25 },
    { state: 'ON_HOLD', count: 14 },
  ]
  expect(sentence({ waiting, webhooks })).toEqual({
    fault: 'theirs',
    text: `${KEEPS_UP} 14 of 39 webhooks are on hold.`,
  })
})

test('each kind of trouble is named, the worst first, and a disabled webhook is none', () => {
  const webhooks: DeliveryHealth['webhooks'] = [
    { state: 'DEGRADED', count: 2 },
    { state: 'FAILING', count: 1 },
    { state: 'DISABLED', count: 3 },
    { state: 'BEHIND', count: 1 },
    { state: 'NO_DELIVERIES', count: 1 },
  ]
  expect(sentence({ webhooks }).text).toBe(
    `${KEEPS_UP} 1 of 8 webhooks is failing, 1 behind and 2 degraded.`,
  )
  expect(sentence({ webhooks: [{ state: 'DISABLED', count: 3 }] })).toEqual({
    fault: 'none',
    text: KEEPS_UP,
  })
})

test('deliveries that wait for a worker for more than a minute are ours', () => {
  const late = (minutes: number) =>
    sentence({ waiting: [{ reason: 'CAPACITY', count: 1_234, oldestAt: minutesAgo(minutes) }] })
  expect(late(6)).toEqual({
    fault: 'ours',
    text: 'Posthorn is late: 1,234 deliveries wait for a free worker, the oldest for 6 min. All 39 webhooks are healthy.',
  })
  expect(late(0.5).fault).toBe('none')
})

test('a slow start is ours, and without an attempt nothing is claimed', () => {
  const slow = { p50Ms: 900, p95Ms: 7_000 }
  expect(sentence({ firstAttemptDelay: slow })).toMatchObject({
    fault: 'ours',
    text: expect.stringContaining(
      'Posthorn is slow: in the last hour, 95% of deliveries were first sent within 7 s.',
    ),
  })
  expect(sentence({ firstAttemptDelay: null, webhooks: [] })).toEqual({
    fault: 'none',
    text: 'No delivery was sent in the last hour.',
  })
})
