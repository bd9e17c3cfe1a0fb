import { expect, test } from 'vitest'
import { attemptReport } from '../../../../packages/console/deliveries/attempt/attempt-report.ts'

const ATTEMPT = {
  id: 'att_1',
  number: 3,
  startedAt: '2026-01-31T12:00:00.000Z',
  durationMs: 1_234,
  error: 'HTTP 503',
  delivery: { id: 'msg_1', eventType: { name: 'order.paid' } },
  request: {
    method: 'POST',
    url: 'https://example.com/hook?token=whk_live_1',
    headers: [
      { name: 'webhook-id', value: 'msg_1' },
      { name: 'authorization', value: '•••' },
    ],
    body: '{"a":1}',
  },
  response: {
    status: 503,
    headers: [
      { name: 'X-Request-Id', value: String.raw`a | b\|c` },
      { name: 'cf-ray', value: '8f2' },
      { name: 'set-cookie', value: 'session=1' },
    ],
    body: 'Sold out ```now```',
    bodyEncoding: 'UTF8',
  },
}

test('a report has the time, the ids of both sides, the answer and a curl without secrets', () => {
  const report = attemptReport(ATTEMPT)
  for (const part of [
    '## Webhook request: HTTP 503',
    '| Time | 2026-01-31 12:00:00.000 UTC |',
    '| Request | POST https://example.com/hook?token=••• |',
    '| Delivery (header `webhook-id`) | msg_1 |',
    '| Attempt | 3, att_1 |',
    '| Response header `X-Request-Id` | a \\| b\\\\\\|c |',
    '| Response header `cf-ray` | 8f2 |',
    '````\nSold out ```now```\n````',
    "--header 'authorization: YOUR_AUTHORIZATION'",
  ]) {
    expect(report).toContain(part)
  }
  expect(report).not.toMatch(/whk_live_1|session=1/)
})

test('without a response, the report has the error', () => {
  const report = attemptReport({ ...ATTEMPT, error: 'Connection refused', response: null })
  expect(report).toContain('| Result | Connection refused |')
  expect(report).not.toContain('Response body')
})

test('a long body is cut, and a body that is no text is left out', () => {
  const { response } = ATTEMPT
  const long = attemptReport({ ...ATTEMPT, response: { ...response, body: 'x'.repeat(3_000) } })
  expect(long).toContain('Response body, first 2,000 characters:')
  expect(long).not.toContain('x'.repeat(2_001))
  const binary = attemptReport({ ...ATTEMPT, response: { ...response, bodyEncoding: 'BASE64' } })
  expect(binary).not.toContain('Sold out')
})
