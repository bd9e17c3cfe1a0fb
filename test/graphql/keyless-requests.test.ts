import { expect, onTestFinished, test } from 'vitest'
import { mintId } from '../../src/db/ids.ts'
import { MAX_KEYLESS_REQUESTS } from '../../src/graphql/limits/use-limits.ts'
import { startTestApp } from '../support/app.ts'
import { until } from '../support/until.ts'

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

type Send = Awaited<ReturnType<typeof start>>

/** Sends slightly more requests than the burst limit of an address. The limit recovers by one request per second. */
async function exhaust(send: Send, headers: (i: number) => Record<string, string>) {
  const requests = Array.from({ length: MAX_KEYLESS_REQUESTS + 20 }, (_, i) => send(headers(i)))
  return (await Promise.all(requests)).map(({ response }) => response.status)
}

test('an address that sends too many requests without a key gets the time to wait', async () => {
  const send = await start('')
  const statuses = await exhaust(send, () => ({}))
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(
    MAX_KEYLESS_REQUESTS,
  )
  // On a slow machine, the address may send another one by then.
  let last = await send()
  await until(async () => {
    last = await send()
    return last.response.status === 429
  }, 'a request is rejected')
  const { response, body, token } = last
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(JSON.parse(body).errors).toMatchObject([
    {
      message: expect.stringMatching(
        /^This address sent more than 60 requests per minute without a valid API key\. Try again in \d+ seconds/,
      ),
      extensions: { code: 'RATE_LIMITED' },
    },
  ])
  // Callers with a key at the same address are not affected.
  const withKey = await send({ authorization: `Bearer ${token}` })
  expect(withKey.response.status).toBe(200)
})

test('a valid key for an organization that it may not act for is forbidden, also after such a flood', async () => {
  const send = await start('')
  const { token } = await send()
  const authorization = `Bearer ${token}`
  const asOther = { authorization, 'posthorn-organization': mintId('organization') }
  const forbidden = {
    message: expect.stringContaining('needs an API key with the scope admin'),
    extensions: { code: 'FORBIDDEN' },
  }
  await exhaust(send, () => asOther)
  // The requests of the valid key did not count as requests without one.
  expect((await send()).response.status).toBe(200)
  await exhaust(send, () => ({}))
  const { body } = await send(asOther)
  expect(JSON.parse(body).errors).toMatchObject([forbidden])
})

const PROXY = '127.0.0.0/8'

test.each<[string, string, (i: number) => string, string?]>([
  ['an address from no trusted proxy changes nothing', '10.0.0.0/8', (i) => `198.51.100.${i}`],
  ['one client does not lock out another', PROXY, () => '203.0.113.7', '203.0.113.8'],
  ['a client cannot pose as many', PROXY, (i) => `198.51.100.${i}, 203.0.113.7`],
  ['an IPv6 network is one client', PROXY, (i) => `2001:db8:1:2::${i}`, '2001:db8:1:3::1'],
])('with forwarded addresses, %s', async (_rule, trustedProxies, addressOf, other) => {
  const send = await start(trustedProxies)
  const from = (address: string) => ({ 'x-forwarded-for': address })
  expect(await exhaust(send, (i) => from(addressOf(i)))).toContain(429)
  if (other) expect((await send(from(other))).response.status).toBe(200)
})
