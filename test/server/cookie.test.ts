import { describe, expect, test } from 'vitest'
import { subscribe } from '../graphql/support/live.ts'
import { useTestApp } from '../support/app.ts'
import { openBrowser, VIEWER } from './browser.ts'

const PUBLIC_URL = 'http://webhooks.example.com'
const EVIL = 'https://evil.example'

const posthorn = await useTestApp({
  role: 'api',
  environment: { POSTHORN_PUBLIC_URL: PUBLIC_URL, POSTHORN_CORS_ORIGINS: EVIL },
})
const own = posthorn.app.url
const browser = openBrowser(own)
await browser.signIn({ token: posthorn.tenant.token })

const CONSOLE = { 'posthorn-console': '1' }

describe('GraphQL accepts the cookie', () => {
  // Behind a proxy that changes the host, the origin differs.
  test.each<Record<string, string>>([
    {},
    { origin: own },
    { origin: PUBLIC_URL },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://proxy.example' },
  ])('in a request of a program or our own page: %o', async (headers) => {
    const { errors } = await browser.graphql(VIEWER, { ...CONSOLE, ...headers })
    expect(errors).toBeUndefined()
  })

  test.each<[string, Record<string, string> | null, string]>([
    ['without the header of the console', null, 'No API key was given'],
    ['of another origin', { origin: EVIL }, 'another site'],
    ['of an opaque origin', { origin: 'null' }, 'another site'],
    ['of another port of this host', { origin: 'http://127.0.0.1:1' }, 'another site'],
    ['that the browser marks as cross-site', { 'sec-fetch-site': 'cross-site' }, 'another site'],
    ['of a sibling domain', { 'sec-fetch-site': 'same-site' }, 'another site'],
  ])('not in a request %s', async (_, headers, message) => {
    const { errors } = await browser.graphql(VIEWER, headers ? { ...CONSOLE, ...headers } : {})
    expect(errors).toMatchObject([
      { message: expect.stringContaining(message), extensions: { code: 'UNAUTHENTICATED' } },
    ])
  })

  test('not in a GET, which a link or an image could send', async () => {
    const response = await browser.request(`/graphql?query=${encodeURIComponent(VIEWER)}`)
    expect(response.status).toBe(401)
  })

  test('not together with an API key, which takes precedence', async () => {
    const headers = { ...CONSOLE, authorization: 'Bearer phk_no' }
    expect((await browser.graphql(VIEWER, headers)).errors).toMatchObject([
      { message: 'The API key is malformed.' },
    ])
  })
})

test.each(['POST', 'DELETE'])('a page of another site cannot %s a session', async (method) => {
  const proof = { token: posthorn.tenant.token }
  for (const headers of [{ origin: EVIL }, { 'sec-fetch-site': 'cross-site' }]) {
    const response = await browser.request('/console/session', {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(proof) }),
    })
    expect(response.status).toBe(403)
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  }
  expect((await browser.graphql(VIEWER)).errors).toBeUndefined()
})

test('REST never accepts the cookie', async () => {
  for (const headers of [{}, CONSOLE, { ...CONSOLE, 'sec-fetch-site': 'same-origin' }]) {
    const response = await browser.request('/api/connect/v1/webhooks', { headers })
    expect(response.status).toBe(401)
  }
})

test('the stream of a session ends when it signs out, but not that of another session', async () => {
  async function openStream() {
    const tab = openBrowser(own)
    await tab.signIn({ token: posthorn.tenant.token })
    const headers = { ...CONSOLE, cookie: tab.cookie as string }
    return { tab, stream: await subscribe(own, headers, 'subscription { attemptRecorded { id } }') }
  }
  const { tab, stream } = await openStream()
  const other = await openStream()
  await tab.signOut()
  expect((await stream.result(1)).errors).toMatchObject([
    {
      message: 'Your session has ended. Sign in again.',
      extensions: { code: 'UNAUTHENTICATED' },
    },
  ])
  expect(other.stream.results).toEqual([])
  for (const one of [stream, other.stream]) one[Symbol.dispose]()
})
