import { describe, expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { json, NEW_WEBHOOK, problem, UNKNOWN_ID, useConnectV1, WEBHOOKS } from './connect-v1.ts'

const api = await useConnectV1()

describe('404', () => {
  test.each([
    ['an id that does not exist', UNKNOWN_ID],
    ['an id of the wrong kind', 'evt_01h455vb4pex5vsknk084sn02q'],
    ['nonsense', '1%27%20or%20true--'],
    ['a broken percent-encoding', '%E0%A4%A'],
    ['the NUL character', '%00'],
    ['an encoded slash', '..%2F..'],
  ])('%s', async (_what, id) => {
    for (const [method, path, body] of [
      ['GET', ''],
      ['PUT', '', {}],
      ['DELETE', ''],
      ['GET', '/secret'],
      ['POST', '/secret/rotate'],
    ] as const) {
      const { type } = await problem(
        await api.call(method, `/webhooks/${id}${path}`, { body }),
        404,
      )
      expect(type).toBe('urn:posthorn:problem:not-found')
    }
  })

  test.each([
    '',
    '/',
    '/webhook/',
    '/webhooks//',
    `/webhooks/${UNKNOWN_ID}//`,
    `/webhooks/${UNKNOWN_ID}/secrets`,
    '/Webhooks',
  ])('an unknown path, with or without a key: %s', async (path) => {
    await problem(await api.call('GET', path), 404)
    await problem(await api.call('POST', path, { token: null, body: {} }), 404)
  })
})

test.each([
  ['/webhooks', 'GET, HEAD, POST', ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE']],
  [`/webhooks/${UNKNOWN_ID}`, 'DELETE, GET, HEAD, PUT', ['POST', 'PATCH', 'OPTIONS']],
  [`/webhooks/${UNKNOWN_ID}/secret`, 'GET, HEAD', ['POST', 'PUT', 'DELETE']],
  [`/webhooks/${UNKNOWN_ID}/secret/rotate`, 'POST', ['GET', 'HEAD', 'PUT', 'DELETE']],
  [`/webhooks/${UNKNOWN_ID}/`, 'DELETE, GET, HEAD, PUT', ['POST', 'PATCH', 'OPTIONS']],
])('405 and Allow: a known path with another method: %s', async (path, allow, methods) => {
  for (const method of methods) {
    const response = await api.call(method, path)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
    if (method === 'HEAD') continue
    const { detail } = await problem(response, 405)
    expect(detail).toBe(`${method} is not allowed on this path. Its methods are ${allow}.`)
  }
})

describe('a slash at the end of a path makes no difference', () => {
  test('for each call', async () => {
    const created = await api.call('POST', '/webhooks/', { body: NEW_WEBHOOK })
    const { id } = await json(created)
    expect(created.headers.get('location')).toBe(`${WEBHOOKS}/${id}`)
    const webhook = `/webhooks/${id}/`
    expect((await json(await api.call('GET', webhook))).id).toBe(id)
    expect((await api.call('HEAD', webhook)).status).toBe(200)
    const updated = await api.call('PUT', webhook, { body: { description: 'Doors' } })
    expect((await json(updated)).description).toBe('Doors')
    expect((await json(await api.call('GET', `${webhook}secret/`))).key).toMatch(/^whsec_/)
    expect((await api.call('POST', `${webhook}secret/rotate/`)).status).toBe(200)
    expect((await api.call('DELETE', webhook)).status).toBe(204)
  })

  test('on a server', async () => {
    const posthorn = await useTestApp({ role: 'api' })
    for (const path of ['/webhooks', '/webhooks/']) {
      const response = await posthorn.rest('GET', path)
      expect([response.status, await json(response)]).toEqual([200, []])
    }
    expect((await posthorn.rest('GET', '/webhooks//')).status).toBe(404)
    // Proxies close it by its spelling.
    expect((await fetch(`${posthorn.app.url}/healthz/`)).status).toBe(404)
  })
})

test('no response may be cached', async () => {
  const { id } = await api.create()
  for (const path of ['/webhooks', `/webhooks/${id}`, `/webhooks/${id}/secret`, '/nowhere']) {
    expect((await api.call('GET', path)).headers.get('cache-control')).toBe('no-store')
  }
  expect((await api.call('DELETE', `/webhooks/${id}`)).headers.get('cache-control')).toBe(
    'no-store',
  )
})
