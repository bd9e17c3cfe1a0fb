import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  type AttemptRecord,
  createRecordAttempt,
} from '../../src/deliveries/attempts/record-attempt.ts'
import { attemptOf, SENDER } from '../support/attempts.ts'
import { type Api, openApi } from './support/api.ts'
import { addWebhook, deliveryIds, deliveryRow, publish } from './support/rows.ts'

let api: Api
let tenant: Awaited<ReturnType<Api['tenant']>>
let delivery: string

beforeAll(async () => {
  api = await openApi()
})
beforeEach(async () => {
  tenant = await api.tenant()
  await addWebhook(api, tenant.organizationId)
  await publish(api, tenant.organizationId)
  delivery = (await deliveryIds(api.database, tenant.organizationId))[0] as string
})
afterAll(() => api[Symbol.asyncDispose]())

const QUERY = `query ($id: ID!) { delivery(id: $id) { event { body } attempts { nodes {
  request { method url headers { name value } body }
  response { status headers { name value } body bodyEncoding bodyTruncated } } } } }`

async function attempt(status: number | null, given?: Partial<AttemptRecord>, sentBy = SENDER) {
  const row = await deliveryRow(api.database, delivery)
  await createRecordAttempt(api.database.pool, sentBy)(attemptOf(row, status, given))
  const { data, errors } = await api.call(tenant.token, QUERY, { id: delivery })
  expect(errors).toBeUndefined()
  return { event: data.delivery.event, ...data.delivery.attempts.nodes.at(-1) }
}

test('an attempt shows the request as it was sent, with the values of custom headers masked', async () => {
  const startedAt = new Date('2026-11-20T12:00:00.900Z')
  const { request, event } = await attempt(200, { startedAt })
  expect(request).toEqual({
    method: 'POST',
    url: 'https://example.com/hook',
    headers: [
      { name: 'user-agent', value: 'Posthorn/1.2.3' },
      { name: 'accept-encoding', value: 'identity' },
      { name: 'X-Key', value: '•••' },
      { name: 'content-type', value: 'application/json' },
      { name: 'wh-id', value: delivery },
      { name: 'wh-timestamp', value: '1795176000' },
      { name: 'wh-signature', value: 'v1,c2lnbmF0dXJl' },
    ],
    body: event.body,
  })
})

test('an attempt shows the header prefix that it was sent with', async () => {
  const { request } = await attempt(200, {}, { ...SENDER, headerPrefix: 'webhook-' })
  const names = request.headers.map(({ name }: { name: string }) => name)
  expect(names).toContain('webhook-signature')
  expect(names).not.toContain('wh-signature')
})

test.each([
  ['grüße', false, 'grüße', 'UTF8'],
  [Buffer.from([0x68, 0xff, 0x00]), false, 'aP8A', 'BASE64'],
  [Buffer.from('grüße').subarray(0, 3), false, 'Z3LD', 'BASE64'],
  [Buffer.from('grüße').subarray(0, 3), true, 'gr', 'UTF8'],
  ['', false, '', 'UTF8'],
])('a body of %j, cut off: %j, reads %j as %s', async (bytes, truncated, body, bodyEncoding) => {
  const responseBody = Buffer.from(bytes as string)
  const { response } = await attempt(200, { responseBody, responseBodyTruncated: truncated })
  expect(response).toEqual({
    status: 200,
    headers: [{ name: 'content-type', value: 'text/plain' }],
    body,
    bodyEncoding,
    bodyTruncated: truncated,
  })
})

test('an attempt without a response has none, and without its event it has no request body', async () => {
  const { response } = await attempt(null)
  expect(response).toBeNull()
  await api.database.prisma.event.deleteMany({ where: { organizationId: tenant.organizationId } })
  const { request } = await attempt(200)
  expect(request.body).toBeNull()
})

test('the body of the request needs events:read', async () => {
  await attempt(200)
  const { token, keyId } = await api.tenant(['deliveries:read'])
  await api.database.prisma.apiKey.update({
    where: { id: keyId },
    data: { organizationId: tenant.organizationId },
  })
  const query =
    'query ($id: ID!) { delivery(id: $id) { attempts { nodes { request { url body } } } } }'
  const { data, errors } = await api.call(token, query, { id: delivery })
  expect(data.delivery.attempts.nodes).toEqual([
    { request: { url: 'https://example.com/hook', body: null } },
  ])
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
})

test('a page reads no more attempts of a delivery than it returns', async () => {
  for (let i = 0; i < 5; i++) await attempt(500, { next: { kind: 'retry', delayMs: 60_000 } })
  const numbers = async (page: string) => {
    const { data } = await api.call(
      tenant.token,
      `{ deliveries { nodes { attempts(${page}) { nodes { number } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`,
    )
    const [{ attempts }] = data.deliveries.nodes
    return {
      numbers: attempts.nodes.map(({ number }: { number: number }) => number),
      ...attempts.pageInfo,
    }
  }
  const first = await numbers('first: 2')
  expect(first).toMatchObject({ numbers: [1, 2], hasNextPage: true })
  expect(api.statements.texts.at(-1)).toContain('"number" <=')
  expect(await numbers(`first: 2, after: "${first.endCursor}"`)).toMatchObject({ numbers: [3, 4] })
  const last = await numbers('last: 2')
  expect(last).toMatchObject({ numbers: [4, 5], hasPreviousPage: true })
  expect(await numbers(`last: 2, before: "${last.startCursor}"`)).toMatchObject({ numbers: [2, 3] })
  expect(await numbers('first: 0')).toMatchObject({ numbers: [] })
})
