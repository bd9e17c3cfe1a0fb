import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EventsOptions } from '../../packages/mcp-events/src/index.ts'
import { parseId } from '../../src/db/ids.ts'
import { deleteExpiredWebhooks } from '../../src/forwarding/delete-expired-webhooks.ts'
import { formatSecret, generateSigningKey } from '../../src/receiver/sign.ts'
import { publish } from '../forwarding/support/rows.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { createTenant, JOINED, TICKET } from '../support/factories.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { type Agent, createHost } from './host-server.ts'

const EVENTS = {
  [JOINED]: {
    arguments: {
      event: { path: '$.event.id', description: 'The id of the event.' },
      minAge: { path: '$.age', type: 'number', op: 'greaterOrEqual' },
      kind: { path: '$.kind', enum: ['guest', 'staff'] },
    },
  },
} as const

let callback: Receiver
let posthorn: TestApp
let host: ReturnType<typeof createHost>
let agent: Agent

beforeAll(async () => {
  callback = await startReceiver()
  posthorn = await startTestApp({ trustedAuthorities: [callback.authority] })
  // No more than the documentation asks for.
  const { token } = await createApiKey(posthorn.database.prisma, {
    organizationId: posthorn.tenant.organizationId,
    scopes: ['webhooks:read', 'webhooks:write', 'secrets:rotate'],
  })
  host = createHost({
    url: `${posthorn.app.url}/graphql`,
    token,
    events: EVENTS,
    authorize: ({ id }) => id !== 'banned',
  })
  agent = await host.connect('ada')
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await posthorn[Symbol.asyncDispose]()
  await callback[Symbol.asyncDispose]()
})
beforeEach(() => {
  callback.clear()
  callback.answer = answer
})

/** Answers challenges, and takes deliveries. */
const answer: Receiver['answer'] = (response, { body }) => {
  const { type, challenge } = JSON.parse(body.toString())
  response.end(type === 'verification' ? JSON.stringify({ challenge }) : '')
}

const newSecret = () => formatSecret(generateSigningKey())
let count = 0
/** Each test has a URL, so that it has a subscription of its own. */
const newUrl = () => `${callback.url}${++count}`

const params = (url: string, secret: string, others: object = {}) => ({
  name: JOINED,
  arguments: {},
  delivery: { mode: 'webhook', url, secret },
  ...others,
})
const key = (url: string, args: object = {}) => ({
  name: JOINED,
  arguments: args,
  delivery: { url },
})

/** The error that the agent gets. */
async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => ({ code: 'none' }),
    ({ code, message, data }) => ({ code, message, data }),
  )
  return error
}

const deliveriesTo = (url: string) =>
  callback.received.filter(({ path, body }) => {
    return path === new URL(url).pathname && !body.toString().includes('"verification"')
  })

async function delivered(url: string, number = 1): Promise<Received> {
  await until(() => deliveriesTo(url).length >= number, `delivery ${number} arrives at ${url}`)
  return deliveriesTo(url)[number - 1] as Received
}

function verify({ headers, body }: Received, secret: string): unknown {
  return new StandardWebhook(secret).verify(body.toString(), headers as Record<string, string>)
}

const rowOf = async (id: string) => {
  const { rows } = await posthorn.database.pool.query(
    `select id, expires_at, deleted_at, (extract(epoch from expires_at - now()) * 1000)::float8 as left_ms
     from posthorn.webhooks where uid = $1 order by created_at desc limit 1`,
    [id],
  )
  return rows[0]
}

test('the list has what the host offers, with the schemas of the arguments and of the data', async () => {
  const { events } = await agent.request('events/list')
  expect(events).toEqual([
    {
      name: JOINED,
      description: expect.any(String),
      delivery: ['webhook'],
      inputSchema: {
        type: 'object',
        properties: {
          event: { type: 'string', description: 'The id of the event.' },
          minAge: { type: 'number' },
          kind: { type: 'string', enum: ['guest', 'staff'] },
        },
        additionalProperties: false,
      },
      payloadSchema: expect.objectContaining({ type: 'object' }),
    },
  ])
})

describe('a subscription', () => {
  test('is challenged once, and gets signed events until it ends', async () => {
    const [url, secret] = [newUrl(), newSecret()]
    const granted = await agent.request('events/subscribe', params(url, secret, { cursor: null }))
    expect(granted).toMatchObject({
      id: expect.stringMatching(/^sub_[0-9a-f]{40}$/),
      refreshBefore: expect.stringMatching(/^\d{4}-.*Z$/),
      cursor: null,
      truncated: false,
    })
    const [challenge] = callback.received as [Received]
    expect(challenge.headers).toMatchObject({
      'webhook-id': expect.stringMatching(/^msg_verification_/),
      'x-mcp-subscription-id': granted.id,
    })
    expect(verify(challenge, secret)).toMatchObject({ type: 'verification' })

    const { event } = await publish(posthorn, { type: JOINED, data: { guest: 'Grace', n: 1.5 } })
    const delivery = await delivered(url)
    expect(delivery.headers).toMatchObject({
      'webhook-id': event,
      'x-mcp-subscription-id': granted.id,
    })
    expect(verify(delivery, secret)).toEqual({
      eventId: event,
      name: JOINED,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { guest: 'Grace', n: 1.5 },
      cursor: null,
    })
    expect(() => verify(delivery, newSecret())).toThrow()

    expect(await agent.request('events/unsubscribe', key(url))).toMatchObject({})
    expect(await refusal(agent.request('events/unsubscribe', key(url)))).toEqual({
      code: -32011,
      message: expect.stringContaining('no subscription'),
      data: { kind: 'subscription' },
    })
    await publish(posthorn, { type: JOINED, data: {} })
    expect(deliveriesTo(url)).toHaveLength(1)
  })

  test('is renewed under the same id, without another challenge', async () => {
    const [url, secret] = [newUrl(), newSecret()]
    const first = await agent.request('events/subscribe', params(url, secret, { ttlMs: 60_000 }))
    const second = await agent.request(
      'events/subscribe',
      params(url, secret, { ttlMs: 600_000, arguments: undefined }),
    )
    expect(second.id).toBe(first.id)
    expect(Date.parse(second.refreshBefore)).toBeGreaterThan(Date.parse(first.refreshBefore))
    expect(callback.received).toHaveLength(1)
  })

  test.each([
    ['the default', undefined, 86_400_000],
    ['the shortest', 1, 60_000],
    ['the wish', 3_600_000, 3_600_000],
    ['the longest', 1e15, 604_800_000],
    ['the longest, for no end', null, 604_800_000],
  ])('lasts as long as is granted: %s', async (_, ttlMs, grantedMs) => {
    const { id } = await agent.request('events/subscribe', params(newUrl(), newSecret(), { ttlMs }))
    const { left_ms: leftMs } = await rowOf(id)
    expect(leftMs).toBeGreaterThan(grantedMs - 60_000)
    expect(leftMs).toBeLessThanOrEqual(grantedMs + 5_000)
  })

  test('that is not renewed ends', async () => {
    const url = newUrl()
    const { id } = await agent.request('events/subscribe', params(url, newSecret()))
    await posthorn.database.pool.query(
      `update posthorn.webhooks set expires_at = now() - interval '1 second' where uid = $1`,
      [id],
    )
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} }, await publicIdOf(id))
    expect(delivery).toBe('')
    await deleteExpiredWebhooks(posthorn.database, posthorn.services.keyring)
    expect((await rowOf(id)).deleted_at).not.toBeNull()
    expect(await refusal(agent.request('events/unsubscribe', key(url)))).toMatchObject({
      code: -32011,
    })
  })

  test('signs with the new secret and with the old one, after the agent has changed it', async () => {
    const [url, first, second] = [newUrl(), newSecret(), newSecret()]
    await agent.request('events/subscribe', params(url, first))
    await agent.request('events/subscribe', params(url, second))
    await agent.request('events/subscribe', params(url, second))
    await publish(posthorn, { type: JOINED, data: {} })
    const delivery = await delivered(url)
    for (const secret of [first, second]) expect(verify(delivery, secret)).toBeTypeOf('object')
    const signatures = String(delivery.headers['webhook-signature']).split(' ')
    expect(signatures).toHaveLength(2)
  })

  test('gets what its arguments ask for, and nothing else', async () => {
    const [url, secret] = [newUrl(), newSecret()]
    const args = { event: 'fair', minAge: 18 }
    await agent.request('events/subscribe', params(url, secret, { arguments: args }))
    for (const data of [
      { event: { id: 'other' }, age: 40 },
      { event: { id: 'fair' }, age: 17 },
      { event: { id: 'fair' } },
      { event: { id: 'fair' }, age: 18 },
    ]) {
      await publish(posthorn, { type: JOINED, data })
    }
    const delivery = await delivered(url)
    expect(verify(delivery, secret)).toMatchObject({ data: { event: { id: 'fair' }, age: 18 } })
    expect(deliveriesTo(url)).toHaveLength(1)
    const swapped = { minAge: 18, event: 'fair' }
    await agent.request('events/unsubscribe', key(url, swapped))
  })

  test('ends when its endpoint answers 410', async () => {
    const url = newUrl()
    const { id } = await agent.request('events/subscribe', params(url, newSecret()))
    callback.answer = (response) => {
      response.statusCode = 410
      response.end()
    }
    await publish(posthorn, { type: JOINED, data: {} })
    await until(async () => (await rowOf(id)).left_ms <= 0, 'the subscription has expired')
  })
})

describe('an endpoint that does not answer the challenge', () => {
  test.each([
    ['challenge_failed', (response) => response.end('{"challenge":"wrong"}')],
    ['http_4xx', (response) => response.writeHead(404).end()],
    ['http_5xx', (response) => response.writeHead(500).end()],
    ['connection_refused', (response) => response.destroy()],
  ] as [string, Receiver['answer']][])('gets no subscription: %s', async (reason, given) => {
    callback.answer = given
    const url = newUrl()
    const call = agent.request('events/subscribe', params(url, newSecret()))
    expect(await refusal(call)).toMatchObject({ code: -32015, data: { reason } })
    expect(await refusal(agent.request('events/unsubscribe', key(url)))).toMatchObject({
      code: -32011,
    })
  })

  test('is refused on this machine, where Posthorn guards addresses', async () => {
    await using guarded = await startTestApp({ environment: { POSTHORN_EGRESS_ALLOW: '' } })
    const other = createHost({
      url: `${guarded.app.url}/graphql`,
      token: guarded.tenant.token,
      events: EVENTS,
    })
    await using ada = await other.connect('ada')
    for (const url of [
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://localhost/',
      'https://10.0.0.1/',
    ]) {
      const call = ada.request('events/subscribe', params(url, newSecret()))
      expect([-32602, -32015]).toContain((await refusal(call)).code)
    }
  })
})

describe('a wrong request', () => {
  const url = 'https://localhost/x'
  const secret = newSecret()
  test.each<[string, object, number]>([
    ['no secret', { delivery: { url } }, -32602],
    ['a short secret', { delivery: { url, secret: 'whsec_AAAA' } }, -32602],
    ['a secret without its prefix', { delivery: { url, secret: secret.slice(6) } }, -32602],
    ['http', { delivery: { url: 'http://localhost/', secret } }, -32602],
    ['no URL', { delivery: { url: 'localhost', secret } }, -32602],
    ['a URL with a password', { delivery: { url: 'https://a:b@localhost/', secret } }, -32602],
    ['another mode', { delivery: { mode: 'push', url, secret } }, -32014],
    ['no event', { name: 'order.unknown' }, -32011],
    ['an event that is not offered', { name: TICKET }, -32011],
    ['a name of the prototype', { name: 'constructor' }, -32011],
    ['an unknown argument', { arguments: { state: 'x' } }, -32602],
    ['an argument of the prototype', { arguments: JSON.parse('{"__proto__":"x"}') }, -32602],
    ['an argument of another type', { arguments: { minAge: '18' } }, -32602],
    ['an argument that is a filter', { arguments: { event: { op: 'exists' } } }, -32602],
    ['an argument out of the list', { arguments: { kind: 'admin' } }, -32602],
    ['a long argument', { arguments: { event: 'x'.repeat(2_000) } }, -32602],
    ['very long arguments', { arguments: { event: 'x'.repeat(5_000) } }, -32602],
    ['a list', { arguments: [] }, -32602],
    ['a TTL that is no number', { ttlMs: 'a day' }, -32602],
  ])('is refused: %s', async (_, others, code) => {
    const call = agent.request('events/subscribe', params(url, secret, others))
    expect(await refusal(call)).toMatchObject({ code })
    expect(callback.received).toEqual([])
  })

  test('without a principal, or of one that may not, is forbidden', async () => {
    await using nobody = await host.connect(null)
    await using banned = await host.connect('banned')
    for (const [who, method] of [
      [nobody, 'events/subscribe'],
      [nobody, 'events/unsubscribe'],
      [banned, 'events/subscribe'],
    ] as const) {
      const call = who.request(method, params(newUrl(), newSecret()))
      expect(await refusal(call)).toMatchObject({ code: -32012 })
    }
    expect(callback.received).toEqual([])
    expect((await nobody.request('events/list')).events).toHaveLength(1)
  })
})

describe('two principals', () => {
  test('have two subscriptions of one URL, and cannot end each other', async () => {
    const url = newUrl()
    await using grace = await host.connect('grace')
    const [first, second] = [newSecret(), newSecret()]
    const mine = await agent.request('events/subscribe', params(url, first))
    expect(await refusal(grace.request('events/unsubscribe', key(url)))).toMatchObject({
      code: -32011,
    })
    const hers = await grace.request('events/subscribe', params(url, second))
    expect(hers.id).not.toBe(mine.id)
    await grace.request('events/unsubscribe', key(url))
    await publish(posthorn, { type: JOINED, data: {} })
    expect(verify(await delivered(url), first)).toBeTypeOf('object')
  })

  test('of two organizations get their own events, by the key of each', async () => {
    const other = await createTenant(posthorn.database.prisma)
    const tokens: Record<string, string> = { ada: posthorn.tenant.token, bob: other.token }
    const shared = createHost({
      url: `${posthorn.app.url}/graphql`,
      token: (principal) => tokens[principal?.id ?? 'ada'] ?? '',
      events: EVENTS,
    })
    await using bob = await shared.connect('bob')
    const url = newUrl()
    await bob.request('events/subscribe', params(url, newSecret()))
    const mark = newUrl()
    await agent.request('events/subscribe', params(mark, newSecret()))
    await publish(posthorn, { type: JOINED, data: {} })
    await delivered(mark)
    expect(deliveriesTo(url)).toEqual([])
  })
})

test('a fault of Posthorn says nothing of it to the agent', async () => {
  const broken = createHost({ url: `${posthorn.app.url}/graphql`, token: 'wrong', events: EVENTS })
  await using ada = await broken.connect('ada')
  const error = await refusal(ada.request('events/subscribe', params(newUrl(), newSecret())))
  expect(error).toMatchObject({ code: -32603 })
  expect(JSON.stringify(error)).not.toContain('wrong')
})

test.each([
  [{ ttl: { minMs: 0 } }, /ttl must have/],
  [{ ttl: { maxMs: Number.POSITIVE_INFINITY } }, /ttl must have/],
  [{ ttl: { max: 1 } }, /Unknown option ttl.max/],
  [{ event: {} }, /Unknown option event/],
  [{ url: 'posthorn' }, /url must be/],
])('options that cannot be used are refused: %j', async (others, message) => {
  const { registerEvents } = await import('../../packages/mcp-events/src/index.ts')
  const { McpServer } = await import('@modelcontextprotocol/server')
  const options = {
    url: 'https://x.example/',
    token: '',
    principal: () => null,
    events: {},
    ...others,
  } as EventsOptions
  const server = new McpServer({ name: 'host', version: '1.0.0' })
  expect(() => registerEvents(server, options)).toThrow(message)
})

async function publicIdOf(uid: string): Promise<string> {
  const { webhook } = await posthorn.graphql(
    'query ($uid: String!) { webhook(uid: $uid) { id } }',
    { uid },
  )
  expect(parseId('webhook', webhook.id)).not.toBeNull()
  return webhook.id
}
