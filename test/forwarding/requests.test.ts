import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { subscribe } from '../graphql/support/live.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { createTenant, JOINED, TICKET } from '../support/factories.ts'
import { until } from '../support/until.ts'
import { publish, recordedAttempts, webhookIds } from './support/rows.ts'

let posthorn: TestApp

beforeAll(async () => {
  posthorn = await startTestApp({ environment: { POSTHORN_RETRY_SCHEDULE: '' } })
})
afterAll(() => posthorn[Symbol.asyncDispose]())

const CREATE = `
  mutation ($input: CreateForwardedWebhookInput!) {
    createForwardedWebhook(input: $input) {
      ... on CreateForwardedWebhookSuccess { webhook { id url enabled forwardedUntil } }
      ... on ValidationError { message issues { code } }
    }
  }`

async function createForwarded(eventSubscriptions = [JOINED]) {
  const { createForwardedWebhook } = await posthorn.graphql(CREATE, {
    input: { eventSubscriptions },
  })
  return createForwardedWebhook.webhook
}

const REQUESTS = `
  subscription ($webhookId: ID!) {
    requestForwarded(webhookId: $webhookId) { id deliveryId headers { name value } body timeLimitMs }
  }`

const open = (webhookId: string, token = posthorn.tenant.token) =>
  subscribe(posthorn.app.url, token, REQUESTS, { webhookId })

const ANSWER = `
  mutation ($id: ID!, $input: AnswerForwardedRequestInput!) {
    answerForwardedRequest(id: $id, input: $input) {
      ... on AnswerForwardedRequestSuccess { id }
      ... on UserError { code message }
      ... on ValidationError { issues { path message } }
    }
  }`

const OK = {
  durationMs: 1,
  response: { status: 200, headers: [], body: '', bodyTruncated: false, firstByteMs: 1 },
}

async function answer(id: string, input: object = OK, token = posthorn.tenant.token) {
  const response = await fetch(`${posthorn.app.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: ANSWER, variables: { id, input } }),
  })
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown }
  if (errors) throw new Error(JSON.stringify(errors))
  // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
  return (data as any).answerForwardedRequest
}

async function recorded(delivery: string) {
  const [attempt] = await recordedAttempts(posthorn, delivery)
  return attempt
}

const deleteWebhook = (id: string) => posthorn.rest('DELETE', `/webhooks/${id}`)

describe('a temporary webhook', () => {
  test('has a URL that no name server knows, is enabled, and is listed over REST', async () => {
    const webhook = await createForwarded()
    expect(webhook).toMatchObject({ url: 'https://forwarded.invalid/', enabled: true })
    const leftMs = new Date(webhook.forwardedUntil).getTime() - Date.now()
    expect(leftMs).toBeGreaterThan(240_000)
    expect(await webhookIds(posthorn)).toContain(webhook.id)
    await deleteWebhook(webhook.id)
    expect(await webhookIds(posthorn)).not.toContain(webhook.id)
  })

  test('keeps its URL, and its other fields can be changed', async () => {
    const { id } = await createForwarded()
    const moved = await posthorn.rest('PUT', `/webhooks/${id}`, { url: 'https://example.com/' })
    expect([moved.status, await moved.json()]).toMatchObject([
      422,
      { errors: [{ pointer: '#/url', code: 'temporary_webhook' }] },
    ])
    const named = await posthorn.rest('PUT', `/webhooks/${id}`, {
      ...{ url: 'https://forwarded.invalid/', description: 'Mine' },
    })
    expect(named.status).toBe(200)
    await deleteWebhook(id)
  })

  test('is one of at most 20 in an organization', async () => {
    const { publicOrganizationId, token } = await createTenant(posthorn.database.prisma)
    const create = async () => {
      const response = await fetch(`${posthorn.app.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: CREATE, variables: { input: {} } }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: the type depends on the query
      return ((await response.json()) as any).data.createForwardedWebhook
    }
    const created = await Promise.all(Array.from({ length: 22 }, create))
    expect(publicOrganizationId).toMatch(/^org_/)
    expect(created.filter(({ webhook }) => webhook)).toHaveLength(20)
    expect(created.filter(({ issues }) => issues)).toMatchObject(
      Array.from({ length: 2 }, () => ({
        message: expect.stringContaining('has 20 temporary webhooks, and may have 20'),
        issues: [{ code: 'too_many_webhooks' }],
      })),
    )
  })
})

describe('a request', () => {
  test('goes to one of two streams, once', async () => {
    const { id } = await createForwarded()
    using one = await open(id)
    using other = await open(id)
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} }, id)
    const results = [await one.result(1), await other.result(1)].map(
      ({ data }) => data?.requestForwarded,
    )
    const [request, nothing] = results[0] ? results : results.toReversed()
    expect(nothing).toBeNull()
    expect(request).toMatchObject({ deliveryId: delivery, timeLimitMs: 15_000 })
    expect(await answer(request.id)).toEqual({ id: request.id })
    expect(await recorded(delivery)).toMatchObject({ succeeded: true, status: 200 })
    await deleteWebhook(id)
  })

  test('can be answered once, and not after its time limit', async () => {
    const { id } = await createForwarded([TICKET])
    using stream = await open(id)
    const first = await publish(posthorn, { type: TICKET, data: {} }, id)
    const { requestForwarded: request } = (await stream.result(1)).data
    expect(await answer(request.id)).toEqual({ id: request.id })
    await recorded(first.delivery)
    expect(await answer(request.id)).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('it was answered before, or its time limit has passed'),
    })

    await posthorn.graphql(
      'mutation ($id: ID!) { updateWebhook(id: $id, input: { timeoutSeconds: 1 }) { __typename } }',
      { id },
    )
    const second = await publish(posthorn, { type: TICKET, data: {} }, id)
    const late = (await stream.result(2)).data.requestForwarded
    expect(late.timeLimitMs).toBe(1_000)
    expect(await recorded(second.delivery)).toMatchObject({ errorCode: 'response_timed_out' })
    expect(await answer(late.id)).toMatchObject({ code: 'conflict' })
    expect(await recordedAttempts(posthorn, second.delivery)).toHaveLength(1)
    await deleteWebhook(id)
  })

  test('that nobody receives fails within seconds, as forwarding_disconnected', async () => {
    const { id } = await createForwarded()
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} }, id)
    const attempt = await recorded(delivery)
    expect(attempt).toMatchObject({ succeeded: false, errorCode: 'forwarding_disconnected' })
    expect(attempt.durationMs).toBeGreaterThan(4_500)
    await deleteWebhook(id)
  })

  test('waits for a stream that opens a moment later', async () => {
    const { id } = await createForwarded()
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} }, id)
    await until(async () => (await openRequests(id)) === 1, 'the attempt waits')
    using stream = await open(id)
    const { requestForwarded: request } = (await stream.result(1)).data
    expect(await answer(request.id)).toEqual({ id: request.id })
    expect(await recorded(delivery)).toMatchObject({ succeeded: true })
    await deleteWebhook(id)
  })

  test('keeps custom headers encrypted where it is stored', async () => {
    const { id } = await createForwarded()
    await posthorn.rest('PUT', `/webhooks/${id}`, { headers: { 'X-Token': 'confidential' } })
    await publish(posthorn, { type: JOINED, data: {} }, id)
    await until(async () => (await openRequests(id)) === 1, 'the attempt waits')
    const { rows } = await posthorn.database.pool.query(
      `select position('confidential'::bytea in headers_ciphertext) as position from posthorn.forwarded_requests`,
    )
    expect(rows).toEqual([{ position: 0 }])
    using stream = await open(id)
    const { requestForwarded: request } = (await stream.result(1)).data
    expect(request.headers).toContainEqual({ name: 'X-Token', value: 'confidential' })
    await answer(request.id)
    await deleteWebhook(id)
  })

  test('is deleted with its answer', async () => {
    await until(async () => (await openRequests()) === 0, 'no request is left')
  })
})

async function openRequests(webhookId?: string): Promise<number> {
  const { rows } = await posthorn.database.pool.query(
    `select count(*)::int as n from posthorn.forwarded_requests where $1::uuid is null or webhook_id = $1`,
    [webhookId ? parseId('webhook', webhookId) : null],
  )
  return rows[0].n
}

describe('an answer', () => {
  test.each<[string, object, string[], string]>([
    ['neither', { durationMs: 1 }, [], 'Give either response or errorCode.'],
    ['both', { ...OK, errorCode: 'ECONNREFUSED' }, [], 'Give either response or errorCode.'],
    [
      'a negative time',
      { durationMs: -1, errorCode: 'X' },
      ['durationMs'],
      'durationMs must not be negative.',
    ],
    [
      'a code with spaces',
      { durationMs: 1, errorCode: 'no code' },
      ['errorCode'],
      'must be the code of an error',
    ],
    [
      'an interim status',
      with_({ status: 199 }),
      ['response', 'status'],
      'must be from 200 to 599',
    ],
    ['a body in another encoding', with_({ body: '&' }), ['response', 'body'], 'must be base64'],
    [
      'a whole large body',
      with_({ body: Buffer.alloc(16_385).toString('base64') }),
      ['response', 'body'],
      'must be the first 16 KiB of the body at most',
    ],
    [
      'large headers',
      with_({ headers: [{ name: 'a', value: 'x'.repeat(40_000) }] }),
      ['response', 'headers'],
      'Posthorn keeps 16 KiB of headers',
    ],
  ])('with %s is refused, with the field and the remedy', async (_what, input, path, message) => {
    const { code, issues } = await answer('fwd_01m80k6v00e5b83nf53p8cy5x7', input)
    expect(code).toBe('invalid')
    expect(issues).toMatchObject([{ path, message: expect.stringContaining(message) }])
  })

  test('with the code of an error fails as with any endpoint', async () => {
    const { id } = await createForwarded()
    using stream = await open(id)
    for (const [n, [errorCode, code]] of Object.entries(ERROR_CODES).entries()) {
      const { delivery } = await publish(posthorn, { type: JOINED, data: {} }, id)
      const { requestForwarded: request } = (await stream.result(n + 1)).data
      await answer(request.id, { durationMs: 3, errorCode })
      expect(await recorded(delivery)).toMatchObject({ errorCode: code, succeeded: false })
    }
    await deleteWebhook(id)
  })

  test('cannot claim to have taken longer than the attempt', async () => {
    const { id } = await createForwarded()
    using stream = await open(id)
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} }, id)
    const { requestForwarded: request } = (await stream.result(1)).data
    await answer(request.id, { ...OK, durationMs: 2_000_000_000 })
    const { durationMs } = await recorded(delivery)
    expect(durationMs).toBeLessThan(60_000)
    await deleteWebhook(id)
  })
})

const ERROR_CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ENOTFOUND: 'name_not_found',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_signed',
  HPE_INVALID_CONSTANT: 'invalid_http',
  UNKNOWN: 'connection_failed',
}

function with_(response: object) {
  return { ...OK, response: { ...OK.response, ...response } }
}

describe('another organization', () => {
  test('can neither receive requests nor answer them', async () => {
    const other = await createTenant(posthorn.database.prisma)
    const { id } = await createForwarded()
    using rejected = await open(id, other.token)
    await until(() => rejected.results.length + Number(rejected.end !== null) > 0, 'it is rejected')
    expect(JSON.stringify([rejected.results, rejected.end])).toContain(
      'There is no temporary webhook',
    )

    using stream = await open(id)
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} }, id)
    const { requestForwarded: request } = (await stream.result(1)).data
    expect(await answer(request.id, OK, other.token)).toMatchObject({ code: 'conflict' })
    expect(await answer(request.id)).toEqual({ id: request.id })
    expect(await recorded(delivery)).toMatchObject({ succeeded: true })
    await deleteWebhook(id)
  })

  test('an ordinary webhook has no stream', async () => {
    const created = await posthorn.rest('POST', '/webhooks', {
      ...{ url: 'https://example.com/', event_subscriptions: [JOINED] },
    })
    const { id } = (await created.json()) as { id: string }
    using rejected = await open(id)
    await until(() => rejected.results.length + Number(rejected.end !== null) > 0, 'it is rejected')
    expect(JSON.stringify([rejected.results, rejected.end])).toContain(
      'There is no temporary webhook',
    )
    await deleteWebhook(id)
  })
})

describe('expiry', () => {
  const expire = (id: string) =>
    posthorn.database.pool.query(
      `update posthorn.webhooks set forwarded_until = now() - interval '1 second' where id = $1`,
      [parseId('webhook', id)],
    )

  test('an open stream keeps its webhook; an expired webhook gets no stream', async () => {
    const { id } = await createForwarded()
    const until_ = async () => {
      const { rows } = await posthorn.database.pool.query(
        `select forwarded_until > now() + interval '4 minutes' as extended from posthorn.webhooks where id = $1`,
        [parseId('webhook', id)],
      )
      return rows[0].extended
    }
    await posthorn.database.pool.query(
      `update posthorn.webhooks set forwarded_until = now() + interval '1 minute' where id = $1`,
      [parseId('webhook', id)],
    )
    expect(await until_()).toBe(false)
    {
      using _stream = await open(id)
      expect(await until_()).toBe(true)
    }
    await expire(id)
    using rejected = await open(id)
    await until(() => rejected.results.length + Number(rejected.end !== null) > 0, 'it is rejected')
    expect(JSON.stringify([rejected.results, rejected.end])).toContain('NOT_FOUND')
    await deleteWebhook(id)
  })

  test('an expired webhook gets nothing and is deleted within a minute, and its deliveries are canceled with the reason', async () => {
    const { id } = await createForwarded()
    await expire(id)
    const { delivery } = await publish(posthorn, { type: JOINED, data: {} }, id)
    await posthorn.database.pool.query(
      `select posthorn.enqueue('roll_up', '{}', 'posthorn:roll_up', queue := 'posthorn:roll_up')`,
    )
    await until(async () => !(await webhookIds(posthorn)).includes(id), 'the webhook is deleted')
    const deletion = { action: 'webhook.deleted', subjectId: id }
    expect(await posthorn.database.prisma.auditEntry.findMany({ where: deletion })).toMatchObject([
      { source: 'system', apiKeyId: null },
    ])
    const find = async () => {
      const { rows } = await posthorn.database.pool.query(
        `select state, attempt_count, last_error from posthorn.deliveries where id = $1`,
        [parseId('delivery', delivery)],
      )
      return rows[0]
    }
    await until(async () => (await find()).state === 'canceled', 'the delivery is canceled')
    expect(await find()).toEqual({
      ...{ state: 'canceled', attempt_count: 0 },
      last_error: 'Canceled, because `posthorn listen --forward` has ended.',
    })
  })
})
