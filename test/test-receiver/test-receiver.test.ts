import { readFile } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, testDelivery } from '../console/support/call.ts'
import { type ConsoleServer, startConsoleServer } from '../console/support/console-server.ts'
import { openApi } from '../graphql/support/api.ts'
import { JOINED } from '../support/factories.ts'
import { until } from '../support/until.ts'

let server: ConsoleServer
let url: string
let webhookId: string

beforeAll(async () => {
  server = await startConsoleServer({
    environment: { POSTHORN_RETRY_SCHEDULE: '1s,1s', POSTHORN_ATTEMPT_TIMEOUT: '1s' },
  })
  url = (await receiver()).url
  const { webhook } = await call<{ webhook: { id: string } }>(
    server,
    'createWebhook',
    { input: ['CreateWebhookInput!', { url, eventSubscriptions: [JOINED], enabled: true }] },
    'webhook { id }',
  )
  webhookId = webhook.id
})
afterAll(() => server?.[Symbol.asyncDispose]())

describe('the test receiver', () => {
  test('shows a delivery with its headers, its body and its valid signature', async () => {
    const deliveryId = await testDelivery(server, webhookId, JOINED)
    const [request] = await requestsOf(deliveryId, 1)
    expect(request).toMatchObject({ webhookId, signatureIsValid: true, status: 200 })
    expect(request?.headers).toContainEqual({ name: 'wh-id', value: deliveryId })
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ type: JOINED })
  })

  test('verifies a delivery whose signature headers have other names', async () => {
    const signatureHeaders = { id: 'Svix-Id', timestamp: 'svix-timestamp', signature: 'X-Signed' }
    const { webhook } = await call<{ webhook: { id: string } }>(
      server,
      'createWebhook',
      {
        input: [
          'CreateWebhookInput!',
          { url, eventSubscriptions: [JOINED], enabled: true, signatureHeaders },
        ],
      },
      'webhook { id }',
    )
    const deliveryId = await testDelivery(server, webhook.id, JOINED)
    const [request] = await requestsOf(deliveryId, 1)
    expect(request).toMatchObject({ webhookId: webhook.id, signatureIsValid: true, status: 200 })
    expect(request?.headers).toContainEqual({ name: 'svix-id', value: deliveryId })
  })

  test('fails as often as it is told, and then accepts the retry', async () => {
    await configure({ respondWith: 'FAIL', times: 1 })
    const deliveryId = await testDelivery(server, webhookId, JOINED)
    const requests = await requestsOf(deliveryId, 2)
    expect(requests.map(({ status }) => status)).toEqual([200, 500])
    expect(await receiver()).toMatchObject({ respondsWith: 'ACCEPT', remaining: null })
  })

  test('responds with 410, or not at all, until it is switched back', async () => {
    await configure({ respondWith: 'GONE' })
    const gone = await testDelivery(server, webhookId, JOINED)
    await requestsOf(gone, 1)
    await configure({ respondWith: 'TIME_OUT' })
    const late = await testDelivery(server, webhookId, JOINED)
    await requestsOf(late, 1, () => true)
    await until(
      async () => (await causesOf(late))[0] === 'response_timed_out',
      'it times out',
      10_000,
    )
    expect((await causesOf(gone)).at(-1)).toBe('410')
    expect((await requestsOf(late, 1, () => true))[0]?.status).toBeNull()
    await configure({ respondWith: 'ACCEPT' })
    // A retry that arrived later would be shown.
    await until(
      async () => (await isFinished(gone)) && (await isFinished(late)),
      'no retry is left',
    )
    await configure({ clear: true })
    expect((await receiver()).requests).toEqual([])
  })

  test('rejects a request that Posthorn did not sign, and does not count it as a failure', async () => {
    await configure({ respondWith: 'FAIL', times: 1, clear: true })
    expect(await post(url, { 'wh-id': 'msg_01m87na0xjekgtbd1zy9dbhajf' })).toBe(400)
    expect(await post(new URL('/elsewhere', url).href, {})).toBe(404)
    const state = await receiver()
    expect(state).toMatchObject({ respondsWith: 'FAIL', remaining: 1 })
    expect(state.requests).toMatchObject([
      { signatureIsValid: false, signatureProblem: 'This organization has no such delivery.' },
    ])
    await configure({ respondWith: 'ACCEPT' })
  })

  test('names what is wrong with a configuration', async () => {
    for (const [input, message] of [
      [{ respondWith: 'FAIL', times: 0 }, 'times must be from 1 to 1,000, not 0.'],
      [{ times: 3 }, 'times needs respondWith: the response that so many deliveries get.'],
    ] as const) {
      await expect(configure(input)).rejects.toThrow(message)
    }
  })

  test('shows an organization nothing of another', async () => {
    const { organization } = await call<{ organization: { id: string } }>(
      server,
      'createOrganization',
      { input: ['CreateOrganizationInput!', { name: 'Another' }] },
      'organization { id }',
    )
    await requestsOf(await testDelivery(server, webhookId, JOINED), 1)
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        'posthorn-organization': organization.id,
      },
      body: JSON.stringify({ query: RECEIVER }),
    })
    const { data } = (await response.json()) as { data: { testReceiver: Receiver } }
    expect(data.testReceiver.requests).toEqual([])
    expect(data.testReceiver.url).toBe(new URL(`/${organization.id}`, url).href)
  })

  test('masks each custom header, of any name, without the scope secrets:read', async () => {
    const headers = Object.entries({
      'accept-key': 'CRED-1',
      Accept: 'CRED-2',
      'x-token': 'CRED-3',
    })
    const { webhook } = await call<{ webhook: { id: string } }>(
      server,
      'createWebhook',
      {
        input: [
          'CreateWebhookInput!',
          {
            url,
            eventSubscriptions: [JOINED],
            enabled: true,
            headers: headers.map(([name, value]) => ({ name, value })),
          },
        ],
      },
      'webhook { id }',
    )
    const { createdApiKey } = await call<{ createdApiKey: { token: string } }>(
      server,
      'createApiKey',
      { input: ['CreateApiKeyInput!', { name: 'Reader', scopes: ['events:read'] }] },
      'createdApiKey { token }',
    )
    const deliveryId = await testDelivery(server, webhook.id, JOINED)
    const [request] = await requestsOf(deliveryId, 1)
    expect(JSON.stringify(request)).toContain('CRED-1')
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${createdApiKey.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: RECEIVER }),
    })
    const text = await response.text()
    expect(text).toContain(deliveryId)
    expect(text).not.toContain('CRED-')
    const { data } = JSON.parse(text) as { data: { testReceiver: Receiver } }
    const seen = data.testReceiver.requests.find((one) => one.deliveryId === deliveryId)?.headers
    for (const [name] of headers) {
      expect(seen).toContainEqual({ name: name.toLowerCase(), value: '•••' })
    }
    expect(seen).toContainEqual({ name: 'wh-id', value: deliveryId })
    const masked = seen?.filter((header) => 'value' in header && header.value === '•••')
    expect(masked).toHaveLength(headers.length)
  })

  test('keeps its address after a restart', async () => {
    await server.kill()
    await server.start()
    expect((await receiver()).url).toBe(url)
  })
})

test('outside of embedded mode there is none', async () => {
  await using api = await openApi()
  const { token } = await api.tenant()
  expect((await api.call(token, '{ testReceiver { url } }')).data).toEqual({ testReceiver: null })
  const { data } = await api.call(token, CONFIGURE, { input: { respondWith: 'FAIL' } })
  expect(data.configureTestReceiver).toEqual({
    __typename: 'NotFoundError',
    message: expect.stringContaining('without DATABASE_URL'),
  })
})

interface Receiver {
  readonly url: string
  readonly respondsWith: string
  readonly remaining: number | null
  readonly requests: readonly {
    readonly deliveryId: string
    readonly status: number | null
    readonly headers: readonly object[]
    readonly body: string
  }[]
}

const RECEIVER = `{ testReceiver { url respondsWith remaining requests {
  deliveryId webhookId status body signatureIsValid signatureProblem headers { name value }
} } }`
const CONFIGURE = `mutation ($input: ConfigureTestReceiverInput!) {
  configureTestReceiver(input: $input) {
    __typename ...on NotFoundError { message } ...on ValidationError { issues { message } }
  }
}`

async function receiver(): Promise<Receiver> {
  return (await server.graphql<{ testReceiver: Receiver }>(RECEIVER)).testReceiver
}

async function configure(input: object): Promise<void> {
  const { configureTestReceiver: result } = await server.graphql<{
    configureTestReceiver: { issues?: readonly { message: string }[] }
  }>(CONFIGURE, { input })
  if (result.issues) throw new Error(result.issues.map(({ message }) => message).join(' '))
}

const hasStatus = ({ status }: { status: number | null }) => status !== null

/** The requests for a delivery, newest first, once there are so many that have a response. */
async function requestsOf(deliveryId: string, count: number, isWanted = hasStatus) {
  const find = async () =>
    (await receiver()).requests.filter((one) => one.deliveryId === deliveryId && isWanted(one))
  await until(async () => (await find()).length >= count, `${count} requests arrive`, 10_000)
  return await find()
}

async function isFinished(deliveryId: string): Promise<boolean> {
  const { delivery } = await server.graphql<{ delivery: { finishedAt: string | null } }>(
    'query ($id: ID!) { delivery(id: $id) { finishedAt } }',
    { id: deliveryId },
  )
  return delivery.finishedAt !== null
}

/** The causes of the failed attempts of a delivery, newest first. */
async function causesOf(deliveryId: string): Promise<string[]> {
  const { delivery } = await server.graphql<{
    delivery: { attempts: { nodes: { status: number | null; errorCode: string | null }[] } }
  }>(
    'query ($id: ID!) { delivery(id: $id) { attempts(first: 10) { nodes { status errorCode } } } }',
    { id: deliveryId },
  )
  return delivery.attempts.nodes.map(({ status, errorCode }) => String(status ?? errorCode))
}

/** Sends a request that Posthorn did not make, and returns the status of the response. */
async function post(to: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const ca = await readFile(path.join(server.cwd, '.posthorn/authority/ca.pem'), 'utf8')
  return await new Promise((resolve, reject) => {
    const request = httpsRequest(to, { method: 'POST', ca, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', reject)
    request.end('{}')
  })
}
