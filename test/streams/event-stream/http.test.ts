import { expect, test } from 'vitest'
import { createApiKey } from '../../support/api-keys.ts'
import { useTestApp } from '../../support/app.ts'
import { addTypes, FIRST, SECOND } from './support/reader.ts'

const posthorn = await useTestApp({ role: 'api' })

await addTypes(posthorn)

async function call(path: string, init: RequestInit = {}, token = posthorn.tenant.token) {
  return await fetch(`${posthorn.app.url}/api/events/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
}

const acknowledge = (body: object) =>
  call('/acknowledge', { method: 'POST', body: JSON.stringify(body) })

test('a program pulls and acknowledges without GraphQL, and gets the published text', async () => {
  const filter = encodeURIComponent('{"path":"$.n","op":"equals","value":1}')
  const path = `/pull?consumer=shell&types=${FIRST},order.*&filter=${filter}&max=5&lease=30`
  expect(await (await call(path)).json()).toEqual({ lease: null, expiresAt: null, events: [] })
  const dataText = '{"n":1.0, "big": 9007199254740992}'
  const waiting = call(`${path}&wait=20`)
  const [, , event] = await posthorn.services.publishEvents(posthorn.tenant.organizationId, [
    { type: SECOND, data: { n: 1 } },
    { type: FIRST, data: { n: 2 } },
    { type: FIRST, dataText },
  ])
  const response = await waiting
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('ratelimit')).toContain('requests')
  const text = await response.text()
  expect(text).toContain(`"data":${dataText}`)
  const { lease, events } = JSON.parse(text)
  expect(events).toMatchObject([{ id: event?.id, type: FIRST, cursor: expect.any(String) }])
  expect(await (await acknowledge({ consumer: 'shell', lease })).json()).toEqual({
    acknowledged: 1,
  })
})

test('errors are problems that name the parameter', async () => {
  const wrong = await call('/pull?max=all&from=never&leese=1')
  expect(wrong.status).toBe(422)
  expect(wrong.headers.get('content-type')).toContain('application/problem+json')
  const { errors } = (await wrong.json()) as { errors: { pointer: string; detail: string }[] }
  const pointers = errors.map(({ pointer }) => pointer)
  expect(pointers).toEqual(['#/consumer', '#/max', '#/from', '#/leese'])
  expect(errors.at(-1)?.detail).toBe('leese is unknown. Did you mean "lease"?')
  const bounded = await call('/pull?consumer=a&wait=60')
  expect(await bounded.json()).toMatchObject({
    errors: [{ pointer: '#/wait', code: 'too_big' }],
  })
  expect((await acknowledge({ consumer: 'shell' })).status).toBe(422)
  expect((await acknowledge({ consumer: 'a\0', lease: 'lease_1' })).status).toBe(422)
  expect((await acknowledge({ consumer: 'none', lease: 'lease_1' })).status).toBe(404)
  expect((await acknowledge({ consumer: 'shell', lease: 'lease_\0' })).status).toBe(404)
  for (const method of ['DELETE', 'HEAD']) {
    expect((await call('/pull?consumer=a', { method })).status).toBe(405)
  }
  expect((await call('/nothing')).status).toBe(404)
})

test('a caller without a key, and one without the scope, pull nothing', async () => {
  expect((await call('/pull?consumer=a', {}, 'none')).status).toBe(401)
  const { token } = await createApiKey(posthorn.database.prisma, {
    organizationId: posthorn.tenant.organizationId,
    scopes: ['webhooks:read'],
  })
  expect((await call('/pull?consumer=a', {}, token)).status).toBe(403)
})
