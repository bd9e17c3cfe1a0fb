import { expect, test } from 'vitest'
import { mintId } from '../../src/db/ids.ts'
import { MAX_KEYLESS_REQUESTS } from '../../src/graphql/limits/use-limits.ts'
import { useTestApp } from '../support/app.ts'
import { until } from '../support/until.ts'

/* Each process counts the addresses itself, so these are for this file alone. */
const start = (trustedProxies: string) =>
  useTestApp({ role: 'api', environment: { POSTHORN_TRUSTED_PROXIES: trustedProxies } })
const posthorn = await start('')
const proxied = await start('127.0.0.0/8')

async function send(headers: Record<string, string> = {}, { app } = posthorn) {
  const response = await fetch(`${app.url}/graphql?query={__typename}`, { headers })
  const { status } = response
  const retryAfter = Number(response.headers.get('retry-after'))
  const { errors = [] } = (await response.json()) as { errors?: unknown[] }
  return { status, retryAfter, errors }
}

/** Sends slightly more requests than the burst limit of an address. The limit recovers by one request per second. */
async function exhaust(headers: (i: number) => Record<string, string>, app = posthorn) {
  const count = MAX_KEYLESS_REQUESTS + 20
  const answers = await Promise.all(Array.from({ length: count }, (_, i) => send(headers(i), app)))
  return answers.map(({ status }) => status)
}

const from = (address: string) => ({ 'x-forwarded-for': address })

test('an address that sends too many requests without a key gets the time to wait; its keys do not count', async () => {
  const authorization = `Bearer ${posthorn.tenant.token}`
  const asOther = { authorization, 'posthorn-organization': mintId('organization') }
  const forbidden = {
    message: expect.stringContaining('needs an API key with the scope admin'),
    extensions: { code: 'FORBIDDEN' },
  }
  await exhaust(() => asOther)
  // Nobody trusts the address that the client forwards.
  const statuses = await exhaust((i) => from(`198.51.100.${i}`))
  const accepted = statuses.filter((status) => status === 200)
  expect(accepted.length).toBeGreaterThanOrEqual(MAX_KEYLESS_REQUESTS)
  // On a slow machine, the address may send another one by then.
  let last = await send()
  await until(async () => {
    last = await send()
    return last.status === 429
  }, 'a request is rejected')
  expect(last.retryAfter).toBeGreaterThan(0)
  expect(last.errors).toMatchObject([
    {
      message: expect.stringMatching(
        /^This address sent more than 60 requests per minute without a valid API key\. Try again in \d+ seconds/,
      ),
      extensions: { code: 'RATE_LIMITED' },
    },
  ])
  expect((await send({ authorization })).status).toBe(200)
  expect((await send(asOther)).errors).toMatchObject([forbidden])
})

test('behind a trusted proxy, one client cannot pose as many, and does not lock out another', async () => {
  expect(await exhaust((i) => from(`198.51.100.${i}, 203.0.113.7`), proxied)).toContain(429)
  expect((await send(from('203.0.113.8'), proxied)).status).toBe(200)
})
