import { beforeAll, expect, test } from 'vitest'
import { document } from '../graphql/support/document.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'

const PUBLIC = 'https://receiver.example/hooks'

let id: string

const posthorn = await useTestApp({ environment: { POSTHORN_EGRESS_ALLOW: '' }, role: 'api' })

beforeAll(async () => {
  const webhook = { url: PUBLIC, event_subscriptions: [JOINED] }
  id = (await (await posthorn.rest('POST', '/webhooks', webhook)).json()).id
})

/** test/outbound/literal-hosts.test.ts has every spelling, against the rule that both doors ask. */
test.each([
  ['0x7f000001', 'belongs to 127.0.0.0/8, Loopback (RFC 1122)'],
  ['hooks.localhost', 'localhost is the machine itself (RFC 6761)'],
])('no webhook is created at %s or moved to it, over either door', async (host, why) => {
  const url = `https://${host}:8443/hooks`
  const detail = expect.stringMatching(/^The URL's host is not a public address: .+\. Give a host/)
  for (const [method, path] of [
    ['POST', '/webhooks'],
    ['PUT', `/webhooks/${id}`],
  ] as const) {
    const response = await posthorn.rest(method, path, { url, event_subscriptions: [JOINED] })
    expect(response.status).toBe(422)
    const { errors } = await response.json()
    expect(errors).toEqual([{ pointer: '#/url', code: 'address_not_public', detail }])
    expect(errors[0].detail).toContain(why)
  }
  for (const operation of ['CreateWebhook', 'UpdateWebhook']) {
    const input = { url, eventSubscriptions: [JOINED] }
    const data = await posthorn.graphql(document('webhooks', operation), { id, input })
    const [{ issues }] = Object.values(data) as [{ issues: object[] }]
    expect(issues).toEqual([{ path: ['url'], code: 'address_not_public', message: detail }])
  }
  const webhooks = await (await posthorn.rest('GET', '/webhooks')).json()
  expect(webhooks.map(({ url }: { url: string }) => url)).toEqual([PUBLIC])
})
