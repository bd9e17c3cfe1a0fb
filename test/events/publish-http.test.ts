import { expect, test } from 'vitest'
import { createApiKey } from '../support/api-keys.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'

const posthorn = await useTestApp({ role: 'api' })

async function post(
  body: unknown,
  headers: Record<string, string> = {},
  token = posthorn.tenant.token,
) {
  const response = await fetch(`${posthorn.app.url}/api/events/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the status
  return { status: response.status, answer: (await response.json()) as any }
}

const EVENT = { type: JOINED, data: { attendee: 1 } }

test('one event, a list of events, and a line for each event are published', async () => {
  const one = await post(EVENT)
  expect(one).toEqual({
    status: 201,
    answer: { id: expect.stringMatching(/^evt_/), deliveryCount: 0, duplicate: false },
  })
  const list = await post([EVENT, { ...EVENT, timestamp: '2026-01-31T12:00:00Z' }])
  expect(list.status).toBe(201)
  expect(list.answer.events).toHaveLength(2)
  const lines = `${JSON.stringify(EVENT)}\n\n${JSON.stringify({ type: JOINED, dataText: '{"a": 1.0}' })}\n`
  const streamed = await post(lines, { 'content-type': 'application/x-ndjson' })
  expect(streamed.answer.events).toHaveLength(2)
})

test('an idempotency key in the header or in the event returns the first event', async () => {
  const first = await post(EVENT, { 'idempotency-key': 'order-1' })
  const again = await post({ ...EVENT, idempotencyKey: 'order-1' })
  expect(again.answer).toEqual({ ...first.answer, duplicate: true })
  const other = await post({ ...EVENT, data: { attendee: 2 } }, { 'idempotency-key': 'order-1' })
  expect(other).toMatchObject({
    status: 409,
    answer: { errors: [{ pointer: '#/idempotencyKey' }] },
  })
  const many = await post([EVENT, EVENT], { 'idempotency-key': 'order-2' })
  expect(many).toMatchObject({ status: 422, answer: { errors: [{ header: 'Idempotency-Key' }] } })
})

test('errors name the event and the field, and nothing is published', async () => {
  const wrong = await post([EVENT, { type: 'no.such', data: null, timestamp: 'never', extra: 1 }])
  expect(wrong.status).toBe(422)
  const pointers = wrong.answer.errors.map(({ pointer }: { pointer: string }) => pointer)
  expect(pointers).toEqual(['#/events/1/timestamp', '#/events/1/extra'])
  expect((await post({ type: 'no.such', data: {} })).answer.errors[0].pointer).toBe('#/type')
  expect((await post([])).status).toBe(422)
  expect((await post('{"type":')).status).toBe(400)
  expect((await post('{}\n{', { 'content-type': 'application/x-ndjson' })).answer.detail).toMatch(
    /^Line 2/,
  )
  expect((await post(EVENT, { 'content-type': 'text/plain' })).status).toBe(415)
  expect((await post({ ...EVENT, data: 'x'.repeat(2 ** 20) })).status).toBe(413)
  const { token } = await createApiKey(posthorn.database.prisma, {
    organizationId: posthorn.tenant.organizationId,
    scopes: ['events:read'],
  })
  expect((await post(EVENT, {}, token)).status).toBe(403)
})
