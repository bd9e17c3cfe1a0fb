import { expect, onTestFinished, test } from 'vitest'
import { MAX_KEYLESS_REQUESTS } from '../../src/graphql/limits/use-keyless-requests.ts'
import { startTestApp } from '../support/app.ts'

async function start(trustedProxies: string) {
  const posthorn = await startTestApp({
    role: 'api',
    environment: { POSTHORN_TRUSTED_PROXIES: trustedProxies },
  })
  onTestFinished(() => posthorn[Symbol.asyncDispose]())
  return async (headers: Record<string, string> = {}) =>
    await fetch(`${posthorn.app.url}/graphql?query={__typename}`, { headers }).then(
      async (response) => ({ response, body: await response.text(), token: posthorn.tenant.token }),
    )
}

type Ask = Awaited<ReturnType<typeof start>>

/** Asks as often as an address may at once, and a little more; a second drains one request. */
async function exhaust(ask: Ask, headers: (i: number) => Record<string, string>) {
  const asked = Array.from({ length: MAX_KEYLESS_REQUESTS + 20 }, (_, i) => ask(headers(i)))
  return (await Promise.all(asked)).map(({ response }) => response.status)
}

test('an address that asks too often without a key is told when to ask again', async () => {
  const ask = await start('')
  const statuses = await exhaust(ask, () => ({}))
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(
    MAX_KEYLESS_REQUESTS,
  )
  const { response, body, token } = await ask()
  expect(response.status).toBe(429)
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(JSON.parse(body).errors).toMatchObject([
    {
      message: expect.stringMatching(
        /^This address sent more than 60 requests per minute without a valid API key\. Try again in \d+ seconds/,
      ),
      extensions: { code: 'RATE_LIMITED' },
    },
  ])
  // Whoever shares the address and has a key goes on.
  const withKey = await ask({ authorization: `Bearer ${token}` })
  expect(withKey.response.status).toBe(200)
})

test('a header of a client that is no trusted proxy changes nothing', async () => {
  const ask = await start('10.0.0.0/8')
  const statuses = await exhaust(ask, (i) => ({ 'x-forwarded-for': `198.51.100.${i}` }))
  expect(statuses).toContain(429)
})

test('behind a trusted proxy one client does not lock out another', async () => {
  const ask = await start('127.0.0.0/8')
  const from = (address: string) => ({ 'x-forwarded-for': address })
  expect(await exhaust(ask, () => from('203.0.113.7'))).toContain(429)
  expect((await ask(from('203.0.113.8'))).response.status).toBe(200)
})

test('behind a trusted proxy a client cannot claim to be many', async () => {
  const ask = await start('127.0.0.0/8')
  const statuses = await exhaust(ask, (i) => ({
    'x-forwarded-for': `198.51.100.${i}, 203.0.113.7`,
  }))
  expect(statuses).toContain(429)
})

test('the addresses of one network of IPv6 count as one client', async () => {
  const ask = await start('127.0.0.0/8')
  const statuses = await exhaust(ask, (i) => ({ 'x-forwarded-for': `2001:db8:1:2::${i}` }))
  expect(statuses).toContain(429)
  expect((await ask({ 'x-forwarded-for': '2001:db8:1:3::1' })).response.status).toBe(200)
})
