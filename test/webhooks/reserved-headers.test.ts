import { afterEach, expect, test } from 'vitest'
import { verify } from '../../packages/receiver/src/index.ts'
import { useTestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { useResource } from '../support/use-resource.ts'

/** An operator can choose the prefix of the delivery headers. */
const environment = { POSTHORN_HEADER_PREFIX: 'acme-' }
const TRACE_PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

const receiver = await useResource(startReceiver())
const posthorn = await useTestApp({ trustedAuthorities: [receiver.authority], environment })
afterEach(async () => {
  for (const { id } of await (await posthorn.rest('GET', '/webhooks')).json()) {
    await posthorn.rest('DELETE', `/webhooks/${id}`)
  }
  receiver.clear()
})

test('GraphQL and the OpenAPI document show the header prefix', async () => {
  await register({})
  const { webhooks } = await posthorn.graphql('{ webhooks { nodes { deliveryHeaderPrefix } } }')
  expect(webhooks.nodes).toEqual([{ deliveryHeaderPrefix: 'acme-' }])

  const headers = { authorization: `Bearer ${posthorn.tenant.token}` }
  const openapi = await (await fetch(`${posthorn.app.url}/openapi.json`, { headers })).json()
  const { post } = openapi.webhooks[JOINED]
  const names = post.parameters.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['acme-id', 'acme-timestamp', 'acme-signature', 'acme-test', 'traceparent'])
  const rules = openapi.tags.find(({ name }: { name: string }) => name === 'Deliveries').description
  expect(rules).toContain('`<acme-id>.<acme-timestamp>.<raw body>`')
  expect(JSON.stringify([openapi.webhooks, rules])).not.toContain('wh-')
})

test('a webhook with custom headers of the same names receives each header once, with the values that Posthorn sets', async () => {
  const headers = { 'Acme-Id': 'theirs', 'acme-timestamp': '1', 'ACME-Signature': 'v1,theirs' }
  const created = await register({ ...headers, 'Acme-Test': 'true', 'X-Team': 'events' })
  const { id } = await created.json()
  const { key } = await (await posthorn.rest('GET', `/webhooks/${id}/secret`)).json()
  await posthorn.services.publishEvents(posthorn.tenant.organizationId, [
    { type: JOINED, data: {}, traceParent: TRACE_PARENT },
  ])
  const { body, headers: received } = await receiver.arrival(1)
  expect(received).toMatchObject({
    'acme-id': expect.stringMatching(/^msg_\w{26}$/),
    'acme-timestamp': expect.stringMatching(/^\d{10}$/),
    'acme-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    traceparent: TRACE_PARENT,
    'x-team': 'events',
  })
  expect(received).not.toHaveProperty('acme-test')
  expect(await verify(body, received, key, { headerPrefix: 'acme-' })).toMatchObject({ ok: true })
  const attempts = () => posthorn.database.prisma.attempt.findMany()
  await until(async () => (await attempts()).length === 1, 'it is recorded')
  expect((await attempts())[0]?.requestHeaderNames).toEqual(['X-Team'])
})

function register(headers: object): Promise<Response> {
  return posthorn.rest('POST', '/webhooks', {
    url: receiver.url,
    event_subscriptions: [JOINED],
    enabled: true,
    headers,
  })
}
