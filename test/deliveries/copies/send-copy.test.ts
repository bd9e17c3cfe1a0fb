import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mintId } from '../../../src/db/ids.ts'
import { MAX_COPIES_PER_MINUTE } from '../../../src/deliveries/copies/copy-sender.ts'
import { document } from '../../graphql/support/document.ts'
import { createApiKey } from '../../support/api-keys.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { createTenant, JOINED } from '../../support/factories.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

/** At `/endpoint` it is the endpoint of the webhook, elsewhere a URL of a developer. */
let receiver: Receiver
let posthorn: TestApp
let id: string
let mine: string

const arrivedAt = (path: RegExp) => receiver.received.filter((request) => path.test(request.path))
const copies = () => arrivedAt(/^\/mine/)

beforeAll(async () => {
  receiver = await startReceiver()
  mine = `${receiver.url}mine`
})
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
})
/** A new application for each test, because copies are limited. */
beforeEach(async () => {
  receiver.clear()
  receiver.answer = (response) => response.writeHead(201, { 'x-mine': 'yes' }).end('got it')
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
  const { createWebhook } = await posthorn.graphql(document('webhooks', 'CreateWebhook'), {
    input: {
      url: `${receiver.url}endpoint`,
      eventSubscriptions: [JOINED],
      enabled: true,
      headers: [{ name: 'X-Token', value: 'secret' }],
    },
  })
  const { testDelivery } = await posthorn.graphql(document('deliveries', 'TestDelivery'), {
    id: createWebhook.webhook.id,
    input: { eventType: JOINED },
  })
  id = testDelivery.delivery.id
  await receiver.arrival(1)
  return () => posthorn[Symbol.asyncDispose]()
})

const COPY = document('deliveries', 'SendDeliveryCopy')

async function send(url: string, deliveryId = id) {
  const { sendDeliveryCopy } = await posthorn.graphql(COPY, { id: deliveryId, input: { url } })
  return sendDeliveryCopy
}

describe('a copy of a delivery', () => {
  test('has the same body, and neither a signature nor custom headers', async () => {
    const { copy } = await send(`${mine}?x=1`)
    expect(copy).toMatchObject({
      url: `${mine}?x=1`,
      response: { status: 201, body: 'got it' },
      errorCode: null,
      error: null,
      phases: { tlsMs: expect.any(Number), connectionReused: false },
    })
    expect(copy.response.headers).toContainEqual({ name: 'x-mine', value: 'yes' })
    const [signed, copied] = [arrivedAt(/^\/endpoint/)[0], copies()[0]]
    expect(copied?.path).toBe('/mine?x=1')
    expect(copied?.body).toEqual(signed?.body)
    expect(copied?.headers).toMatchObject({ 'content-type': 'application/json', 'wh-id': id })
    expect(copied?.headers).not.toHaveProperty('wh-signature')
    expect(copied?.headers).not.toHaveProperty('x-token')
    expect(signed?.headers).toMatchObject({ 'x-token': 'secret' })
  })

  test('is not an attempt, and is in the audit log with the host alone', async () => {
    await send(`${mine}/secret/path`)
    const { prisma } = posthorn.database
    expect(await prisma.attempt.count()).toBeLessThanOrEqual(1)
    const [entry] = await prisma.auditEntry.findMany({ where: { action: 'delivery.copied' } })
    expect(entry).toMatchObject({ subjectId: id, after: { host: new URL(mine).host } })
  })

  test('shows a failed answer and a redirect as they are', async () => {
    receiver.answer = (response) =>
      response.writeHead(302, { location: `${receiver.url}moved` }).end()
    expect((await send(mine)).copy).toMatchObject({ response: { status: 302 }, error: null })
    expect(copies()).toHaveLength(1)
    expect(arrivedAt(/^\/moved/)).toHaveLength(0)
  })

  test('that gets no answer says why in plain words', async () => {
    const refused = await startReceiver()
    await refused[Symbol.asyncDispose]()
    expect((await send(refused.url)).copy).toMatchObject({
      response: null,
      errorCode: 'connection_refused',
      error: 'The connection was refused.',
    })
  })

  test.each([
    ['a private address', 'https://10.0.0.1/', 'address_not_public'],
    ['no HTTPS', 'http://example.com/', 'not_https'],
    ['no URL', 'example', 'not_a_url'],
  ])('to %s is rejected before anything is sent', async (_what, url, code) => {
    const answer = await send(url)
    expect(answer).toMatchObject({ __typename: 'ValidationError', issues: [{ path: ['url'] }] })
    expect(answer.issues[0].code).toBe(code)
    expect(
      await posthorn.database.prisma.auditEntry.count({ where: { action: 'delivery.copied' } }),
    ).toBe(0)
  })

  test('of an unknown delivery is not found', async () => {
    expect(await send(mine, mintId('delivery'))).toMatchObject({ code: 'not_found' })
  })

  test('of another organization is not found, and without events:read it is forbidden', async () => {
    const { prisma } = posthorn.database
    const call = async (token: string) => {
      const response = await fetch(`${posthorn.app.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: COPY, variables: { id, input: { url: mine } } }),
      })
      return await response.json()
    }
    const other = await createTenant(prisma)
    const { data } = await call(other.token)
    expect(data.sendDeliveryCopy).toMatchObject({ code: 'not_found' })
    const { token } = await createApiKey(prisma, {
      organizationId: posthorn.tenant.organizationId,
      scopes: ['deliveries:write'],
    })
    const { errors } = await call(token)
    expect(errors[0].extensions.code).toBe('FORBIDDEN')
    expect(copies()).toHaveLength(0)
  })

  test('is rejected after too many copies in a minute', async () => {
    const startedAt = performance.now()
    const sendMany = async () => {
      while (copies().length < 2 * MAX_COPIES_PER_MINUTE) await send(mine)
    }
    await expect(sendMany()).rejects.toThrow(/RATE_LIMITED|copies in a minute/)
    // A slow machine allows another copy every six seconds.
    const minutes = (performance.now() - startedAt) / 60_000
    expect(copies().length).toBeGreaterThanOrEqual(MAX_COPIES_PER_MINUTE)
    expect(copies().length).toBeLessThanOrEqual(MAX_COPIES_PER_MINUTE * (1 + minutes))
  })
})
