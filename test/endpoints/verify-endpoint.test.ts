import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { formatSecret, generateSigningKey } from '../../packages/receiver/src/sign.ts'
import { MAX_CHALLENGES_PER_MINUTE } from '../../src/deliveries/challenge-sender.ts'
import { useTestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { postGraphql } from '../support/post-graphql.ts'
import { type Received, type Receiver, useReceiver } from '../support/receiver.ts'

let token: string

const receiver = await useReceiver()
const posthorn = await useTestApp()
// Challenges are limited by organization.
beforeEach(async () => {
  token = (await createTenant(posthorn.database.prisma)).token
  receiver.clear()
  receiver.answer = echo
})

const echo: Receiver['answer'] = (response, { body }) => {
  const { challenge } = JSON.parse(body.toString())
  response.end(JSON.stringify({ challenge }))
}

const FIELDS = 'webhook { id url verifyEndpoint endpointVerifiedAt revision }'
const ERRORS =
  '... on EndpointVerificationError { code message reason } ... on ValidationError { issues { path code message } }'
const CREATE = `mutation ($input: CreateWebhookInput!) {
  result: createWebhook(input: $input) { __typename ... on CreateWebhookSuccess { ${FIELDS} } ${ERRORS} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateWebhookInput!) {
  result: updateWebhook(id: $id, input: $input) { __typename ... on UpdateWebhookSuccess { ${FIELDS} } ${ERRORS} } }`
const UPSERT = `mutation ($uid: String!, $input: UpsertWebhookInput!) {
  result: upsertWebhook(uid: $uid, input: $input) { __typename ... on UpsertWebhookSuccess { created changed ${FIELDS} } ${ERRORS} } }`

async function graphql(query: string, variables: object = {}) {
  const { data, errors } = await postGraphql(posthorn.app.url, token, query, variables)
  return errors ? { errors } : data.result
}

const inputOf = (others: object = {}) => ({
  url: receiver.url,
  eventSubscriptions: [JOINED],
  verifyEndpoint: true,
  ...others,
})
const create = (others?: object) => graphql(CREATE, { input: inputOf(others) })
const update = ({ id }: { id: string }, input: object) => graphql(UPDATE, { id, input })
const countWebhooks = async () => {
  const { totalCount } = await graphql('{ result: webhooks { totalCount } }')
  return totalCount
}

describe('an endpoint that answers', () => {
  test('is verified by a challenge with the headers of a delivery', async () => {
    const secret = formatSecret(generateSigningKey())
    const { webhook } = await create({ secret, headers: [{ name: 'x-own', value: 'mine' }] })
    expect(webhook).toMatchObject({ verifyEndpoint: true, url: receiver.url })
    expect(Date.parse(webhook.endpointVerifiedAt)).toBeGreaterThan(Date.now() - 60_000)
    const [request] = receiver.received as [Received]
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'wh-id': expect.stringMatching(/^msg_verification_[0-9a-f]{32}$/),
      'x-own': 'mine',
    })
    expect(verified(request, secret)).toEqual({
      type: 'verification',
      challenge: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  test('gets another challenge each time, and none for a URL that is verified', async () => {
    const { webhook } = await create()
    await create()
    const [first, second] = receiver.received.map(({ body }) => JSON.parse(body.toString()))
    expect(first.challenge).not.toBe(second.challenge)
    receiver.clear()
    const input = { verifyEndpoint: true, url: receiver.url, description: 'the same' }
    const same = await update(webhook, input)
    expect(same.webhook).toMatchObject({ endpointVerifiedAt: webhook.endpointVerifiedAt })
    expect(receiver.received).toEqual([])
  })

  test('is challenged once by each kind of call', async () => {
    await graphql(CREATE, { input: inputOf() })
    expect(receiver.received).toHaveLength(1)
    const upserted = await graphql(UPSERT, { uid: 'one', input: inputOf() })
    expect(upserted).toMatchObject({ created: true })
    const again = await graphql(UPSERT, { uid: 'one', input: inputOf() })
    expect(again).toMatchObject({ created: false, changed: false })
    expect(receiver.received).toHaveLength(2)
    const url = `${receiver.url}elsewhere`
    await graphql(UPSERT, { uid: 'one', input: inputOf({ url }) })
    expect(receiver.received[2]).toMatchObject({ path: '/elsewhere' })
  })
})

describe('an endpoint that does not answer', () => {
  const answer =
    (status: number, text = ''): Receiver['answer'] =>
    (response) => {
      response.statusCode = status
      response.end(text)
    }

  test.each([
    ['HTTP_4XX', answer(404)],
    ['HTTP_5XX', answer(503)],
    ['HTTP_3XX', answer(302)],
    ['CHALLENGE_FAILED', answer(200)],
    ['CHALLENGE_FAILED', answer(200, '{"challenge":"guessed"}')],
    ['CHALLENGE_FAILED', answer(200, '{"challenge":{"length":43}}')],
    ['CHALLENGE_FAILED', answer(200, 'null')],
    ['CONNECTION_FAILED', ((response) => response.destroy()) as Receiver['answer']],
  ])('is no endpoint of a new webhook: %s', async (reason, given) => {
    receiver.answer = given
    expect(await create()).toEqual({
      __typename: 'EndpointVerificationError',
      code: 'invalid',
      reason,
      message: expect.stringMatching(/^url is not verified: .*Answer the POST/),
    })
    expect(receiver.received.length).toBeGreaterThan(0)
    expect(await countWebhooks()).toBe(0)
  })

  test('is no endpoint if nothing listens, or TLS or the name fails', async () => {
    const server = createServer((_request, response) => response.end())
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const reasonAt = async (url: string) => (await create({ url })).reason
    expect(await reasonAt(`https://localhost:${port}/`)).toBe('TLS_FAILED')
    server.close()
    await once(server, 'close')
    expect(await reasonAt(`https://localhost:${port}/`)).toBe('CONNECTION_FAILED')
    expect(await reasonAt('https://nothing.invalid/')).toBe('NAME_NOT_FOUND')
    expect(await countWebhooks()).toBe(0)
  })

  test('is no endpoint after 10 seconds', async () => {
    const { timeout } = AbortSignal
    const clock = vi.spyOn(AbortSignal, 'timeout')
    onTestFinished(() => clock.mockRestore())
    clock.mockImplementation((ms) => timeout.call(AbortSignal, ms === 10_000 ? 50 : ms))
    receiver.answer = () => {}
    expect(await create()).toMatchObject({ reason: 'TIMED_OUT' })
    expect(await countWebhooks()).toBe(0)
  })
})

test('a call that is wrong otherwise sends no challenge', async () => {
  expect(await create({ eventSubscriptions: ['unknown'] })).toMatchObject({
    __typename: 'ValidationError',
  })
  expect(receiver.received).toEqual([])
})

describe('a webhook with a verified endpoint', () => {
  test('keeps its URL over GraphQL and REST until the new one answers', async () => {
    const { webhook } = await create()
    receiver.answer = (response) => response.end()
    const url = `${receiver.url}new`
    expect(await update(webhook, { url })).toMatchObject({
      reason: 'CHALLENGE_FAILED',
    })
    const put = () =>
      fetch(`${posthorn.app.url}/api/connect/v1/webhooks/${webhook.id}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ url }),
      })
    const refused = await put()
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({
      errors: [{ pointer: '#/url', code: 'endpoint_unverified' }],
    })
    const now = await graphql(`{ result: webhook(id: "${webhook.id}") { url revision } }`)
    expect(now).toEqual({ url: receiver.url, revision: webhook.revision })
    receiver.answer = echo
    expect((await put()).status).toBe(200)
  })

  test('keeps the proof only for its URL', async () => {
    const { webhook } = await create()
    const other = { verifyEndpoint: false, url: `${receiver.url}other` }
    const changed = await update(webhook, other)
    expect(changed.webhook).toMatchObject({ verifyEndpoint: false, endpointVerifiedAt: null })
    receiver.clear()
    expect((await update(webhook, { verifyEndpoint: true })).webhook).toMatchObject({
      endpointVerifiedAt: expect.any(String),
    })
    expect(receiver.received[0]).toMatchObject({ path: '/other' })
  })

  test('keeps the rule for sessions, whose new URLs are challenged, too', async () => {
    const { webhook } = await create()
    const session = await graphql(
      `mutation { result: createFrontendSession(input: { scopes: ["webhooks:write"] }) {
         ... on CreateFrontendSessionSuccess { token } } }`,
    )
    token = session.token
    expect(await update(webhook, { verifyEndpoint: false })).toMatchObject({
      issues: [{ path: ['verifyEndpoint'], code: 'not_supported' }],
    })
    receiver.answer = (response) => response.end()
    expect(await update(webhook, { url: `${receiver.url}mine` })).toMatchObject({
      reason: 'CHALLENGE_FAILED',
    })
  })
})

test(`an organization sends ${MAX_CHALLENGES_PER_MINUTE} challenges a minute`, async () => {
  // The limit grows again while they are sent, and a request can fail for the load of the machine.
  for (let sent = 0; ; sent += 8) {
    const results = await Promise.all(Array.from({ length: 8 }, () => create()))
    const errors: { message: string }[] = results.flatMap((result) => result.errors ?? [])
    if (!errors.some(({ message }) => message.includes('challenges in a minute'))) continue
    expect(sent + 8).toBeGreaterThan(MAX_CHALLENGES_PER_MINUTE)
    return
  }
})

function verified({ headers, body }: Received, secret: string): unknown {
  return new StandardWebhook(secret).verify(body.toString(), {
    'webhook-id': String(headers['wh-id']),
    'webhook-timestamp': String(headers['wh-timestamp']),
    'webhook-signature': String(headers['wh-signature']),
  })
}
