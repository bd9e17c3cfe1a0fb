import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { document } from '../graphql/support/document.ts'
import { smuggledSpellingsOf, spellingsOf } from '../outbound/spellings.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'

const CREATE = document('webhooks', 'CreateWebhook')
const UPDATE = document('webhooks', 'UpdateWebhook')
const PUBLIC = 'https://receiver.example/hooks'

/** Spellings of non-public hosts, each with the reason in the error text. */
const HOSTS: [host: string, why: string][] = [
  ...spell('127.0.0.1', 'belongs to 127.0.0.0/8, Loopback (RFC 1122)'),
  ...spell('169.254.169.254', 'belongs to 169.254.0.0/16, Link Local (RFC 3927)'),
  ...spell('::1', 'belongs to ::1/128, Loopback Address (RFC 4291)'),
  ...spell('100:0:0:1::1', 'belongs to 100:0:0:1::/64, Dummy IPv6 Prefix (RFC 9780)'),
  ...smuggledSpellingsOf('10.0.0.1').map((host): [string, string] => [host, '']),
  ['localhost', 'localhost is the machine itself (RFC 6761)'],
  ['hooks.localhost', 'localhost is the machine itself (RFC 6761)'],
]

let posthorn: TestApp
let id: string

beforeAll(async () => {
  posthorn = await startTestApp({ environment: { POSTHORN_EGRESS_ALLOW: '' }, role: 'api' })
  const webhook = { url: PUBLIC, event_subscriptions: [JOINED] }
  id = (await (await posthorn.rest('POST', '/webhooks', webhook)).json()).id
})
afterAll(() => posthorn[Symbol.asyncDispose]())

describe.each(HOSTS)('a webhook at %s', (host, why) => {
  const url = `https://${host}:8443/hooks`
  const expected = {
    code: 'address_not_public',
    detail: expect.stringMatching(/^The URL's host is not a public address: .+\. Give a host/),
  }

  test.each([
    ['created', 'POST', () => '/webhooks'],
    ['changed to it', 'PUT', () => `/webhooks/${id}`],
  ])('is not %s over REST', async (_action, method, path) => {
    const response = await posthorn.rest(method, path(), { url, event_subscriptions: [JOINED] })
    expect(response.status).toBe(422)
    const { errors } = await response.json()
    expect(errors).toEqual([{ pointer: '#/url', code: expected.code, detail: expected.detail }])
    expect(errors[0].detail).toContain(why)
  })

  test.each([
    ['created', CREATE, 'createWebhook'],
    ['changed to it', UPDATE, 'updateWebhook'],
  ])('is not %s over GraphQL', async (_action, mutation, field) => {
    const input = { url, eventSubscriptions: [JOINED] }
    const data = await posthorn.graphql(mutation, { id, input })
    expect(data[field].issues).toEqual([
      { path: ['url'], code: expected.code, message: expected.detail },
    ])
    expect(data[field].issues[0].message).toContain(why)
  })
})

test('the rejected requests create no webhook and change no URL', async () => {
  const webhooks = await (await posthorn.rest('GET', '/webhooks')).json()
  expect(webhooks.map(({ url }: { url: string }) => url)).toEqual([PUBLIC])
})

test.each(['8.8.8.8', '134744072', '[2606:4700:4700::1111]', '[::ffff:8.8.8.8]'])(
  'a webhook at the public host %s is created',
  async (host) => {
    const webhook = { url: `https://${host}:8443/hooks`, event_subscriptions: [JOINED] }
    const response = await posthorn.rest('POST', '/webhooks', webhook)
    expect(response.status).toBe(201)
    expect((await response.json()).url).toBe(webhook.url)
  },
)

function spell(ip: string, why: string): [string, string][] {
  return spellingsOf(ip).map((host) => [host, host.includes('%') ? '' : why])
}
