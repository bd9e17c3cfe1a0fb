import { expect, test } from 'vitest'
import {
  type ComparedAttempt,
  differencesOf,
} from '../../../../src/console/deliveries/attempt/differences.ts'

const SUCCESS: ComparedAttempt = {
  status: 200,
  durationMs: 40,
  url: 'https://example.com/hooks',
  eventType: 'order.placed',
  requestHeaders: [
    { name: 'wh-signature', value: 'v1,a' },
    { name: 'X-Token', value: '•••' },
  ],
  responseHeaders: [
    { name: 'server', value: 'app' },
    { name: 'date', value: 'Mon' },
  ],
  payload: { order: { id: 1, lines: [{ sku: 'a' }] } },
}
const compare = (now: Partial<ComparedAttempt>) =>
  differencesOf(SUCCESS, { ...SUCCESS, ...now }, (ms) => `${ms} ms`)

test('two equal attempts have no differences', () => {
  expect(compare({})).toEqual([])
})

test('the status, the duration, the URL and the event type are compared', () => {
  const now = { status: 503, durationMs: 900, url: 'https://new.example/', eventType: 'a' }
  expect(compare(now)).toEqual([
    { what: 'Status', before: '200', now: '503' },
    { what: 'Duration', before: '40 ms', now: '900 ms' },
    { what: 'URL', before: 'https://example.com/hooks', now: 'https://new.example/' },
    { what: 'Event type', before: 'order.placed', now: 'a' },
  ])
})

test('headers are compared, without those that differ in every attempt', () => {
  const now = {
    requestHeaders: [{ name: 'wh-signature', value: 'v1,b' }],
    responseHeaders: [
      { name: 'server', value: 'proxy' },
      { name: 'date', value: 'Tue' },
    ],
  }
  expect(compare(now)).toEqual([
    { what: 'Request header x-token', before: '•••', now: 'missing' },
    { what: 'Response header server', before: 'app', now: 'proxy' },
  ])
})

test('an attempt without a response is not compared by response headers', () => {
  expect(compare({ status: null, responseHeaders: [] })).toEqual([
    { what: 'Status', before: '200', now: 'no response' },
  ])
})

test('payload keys are compared at every level, and only between events of one type', () => {
  const payload = { order: { id: 2, lines: [{ sku: 'b', gift: true }], note: 'x' } }
  expect(compare({ payload })).toEqual([
    { what: 'Payload key order.lines[].gift', before: 'missing', now: 'present' },
    { what: 'Payload key order.note', before: 'missing', now: 'present' },
  ])
  expect(compare({ payload, eventType: 'order.refunded' })).toHaveLength(1)
  expect(compare({ payload: null })).toEqual([])
})
