import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verify } from '../../packages/receiver/src/index.ts'
import { parseId, publicId } from '../../src/db/ids.ts'
import { createWebhook } from '../scheduling/support/backlog.ts'
import { useTestApp } from '../support/app.ts'
import { createTenant, JOINED } from '../support/factories.ts'
import { deliveryJobs } from '../support/jobs.ts'
import { callerWith } from '../support/post-graphql.ts'
import { useReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const receiver = await useReceiver()
const posthorn = await useTestApp()
beforeEach(() => {
  receiver.answer = (response) => response.end()
})
afterEach(async () => {
  // Isolates the tests: no webhook and no job of one test remains for the next.
  for (const { id } of await (await posthorn.rest('GET', '/webhooks')).json()) {
    await posthorn.rest('DELETE', `/webhooks/${id}`)
  }
  // The failed jobs of exhausted deliveries stay for a day.
  const failed = async () => (await jobs()).every((job) => job.attempts >= job.maxAttempts)
  await until(failed, 'the jobs are done or canceled')
  const ids = (await jobs()).map(({ id }) => id)
  await posthorn.database.pool.query('select graphile_worker.complete_jobs($1::bigint[])', [ids])
  receiver.clear()
})

describe('contract 2.3: a delivery', () => {
  test('is an HTTPS POST with a JSON body and the three headers', async () => {
    const webhook = await register()
    const eventId = await publish({ attendee: 'Ada' })
    const arrived = await receiver.arrival(1)
    expect(arrived.method).toBe('POST')
    expect(arrived.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Posthorn\/\d+\.\d+\.\d+(-dev)?$/),
      'wh-id': expect.stringMatching(/^msg_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      'wh-timestamp': expect.stringMatching(/^\d{10}$/),
      'wh-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    })
    expect(JSON.parse(arrived.body.toString())).toEqual({
      id: eventId,
      type: JOINED,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { attendee: 'Ada' },
    })
    const verified = await verify(arrived.body, arrived.headers, await secretOf(webhook))
    expect(verified).toMatchObject({ ok: true })
  })

  test('of one event to two webhooks has two ids and two signatures', async () => {
    await register()
    await register()
    await publish({})
    const [first, second] = [await receiver.arrival(1), await receiver.arrival(2)]
    expect(first.headers['wh-id']).not.toBe(second.headers['wh-id'])
    expect(first.headers['wh-signature']).not.toBe(second.headers['wh-signature'])
    expect(first.body).toEqual(second.body)
  })
})

describe('contract 7.1: a failed delivery is retried', () => {
  test('after a non-2xx response, with the same wh-id and body, a new timestamp and a valid signature, until it succeeds', async () => {
    const webhook = await register()
    receiver.answer = (response) => {
      // The delay of a second and more puts the next attempt into another second of the timestamp.
      response.writeHead(receiver.received.length <= 2 ? 500 : 200, { 'retry-after': '1' }).end()
    }
    await publish({ n: 1 })
    await receiver.arrival(3)
    const arrivals = receiver.received.slice()
    const id = arrivals[0]?.headers['wh-id']
    for (const arrived of arrivals) {
      expect(arrived.headers['wh-id']).toBe(id)
      expect(arrived.body).toEqual(arrivals[0]?.body)
      const verified = await verify(arrived.body, arrived.headers, await secretOf(webhook))
      expect(verified).toMatchObject({ ok: true })
    }
    const sent = (name: string) => arrivals.map(({ headers }) => String(headers[name]))
    const times = sent('wh-timestamp')
    expect(times).toEqual([...new Set(times)].toSorted())
    expect(new Set(sent('wh-signature')).size).toBe(3)
    await untilState(String(id), 'succeeded')
    expect(await attemptsOf(String(id))).toMatchObject([
      { number: 1, status: 500, succeeded: false },
      { number: 2, status: 500, succeeded: false },
      { number: 3, status: 200, succeeded: true },
    ])
  })

  test('after a redirect, which is not followed', async () => {
    await register()
    receiver.answer = (response) => response.writeHead(302, { location: '/elsewhere' }).end()
    await publish({})
    const { headers } = await receiver.arrival(1)
    await untilState(String(headers['wh-id']), 'exhausted')
    expect(receiver.received.map((arrived) => arrived.path)).toEqual(['/', '/', '/', '/'])
  })

  test.each([
    ['a connection error', 'https://localhost:1025/', 'connection_refused'],
    ['a connection to a non-public address was refused', 'https://10.0.0.1/', 'address_not_public'],
  ])('after %s, and the attempt shows only the reason', async (_what, url, errorCode) => {
    const webhook = await register()
    await posthorn.database.pool.query(
      `update posthorn.webhooks set url = $2, revision = revision + 1
       where id = posthorn.parse_type_id('wh', $1)`,
      [webhook, url],
    )
    await publish({})
    const { id } = await posthorn.database.prisma.delivery.findFirstOrThrow({
      where: { webhookId: parseId('webhook', webhook) as string },
    })
    await untilState(publicId('delivery', id), 'exhausted')
    const [attempt] = await attemptsOf(publicId('delivery', id))
    expect(attempt).toMatchObject({ status: null, errorCode })
  })
})

test('an attempt records its request and its response', async () => {
  const webhook = await register({ headers: { 'X-Key': 'secret-value' } })
  receiver.answer = (response) => response.writeHead(201, { 'x-answer': 'yes' }).end('accepted')
  await publish({})
  const arrived = await receiver.arrival(1)
  const id = String(arrived.headers['wh-id'])
  await untilState(id, 'succeeded')
  const [attempt] = await attemptsOf(id)
  expect(attempt).toMatchObject({
    number: 1,
    succeeded: true,
    status: 201,
    errorCode: null,
    error: null,
    requestUrl: receiver.url,
    requestSignature: arrived.headers['wh-signature'],
    requestHeaderNames: ['X-Key'],
    responseBodyTruncated: false,
  })
  expect(attempt?.responseHeaders).toMatchObject({ 'x-answer': 'yes' })
  expect(Buffer.from(attempt?.responseBody as Uint8Array).toString()).toBe('accepted')
  expect(attempt?.firstByteMs).toBeLessThanOrEqual(attempt?.durationMs as number)
  expect(publicId('webhook', attempt?.webhookId as string)).toBe(webhook)
})

test('an attempt records the URL that was sent, and the webhook keeps its URL as given', async () => {
  const given = `${receiver.url}a/../b/ü?name=O'Neil`
  const webhook = await register({ url: given })
  await publish({})
  const arrived = await receiver.arrival(1)
  expect(arrived.path).toBe('/b/%C3%BC?name=O%27Neil')
  const id = String(arrived.headers['wh-id'])
  await untilState(id, 'succeeded')
  const [attempt] = await attemptsOf(id)
  expect(attempt?.requestUrl).toBe(new URL(arrived.path, receiver.url).href)
  const answer = await posthorn.rest('GET', `/webhooks/${webhook}`)
  expect((await answer.json()).url).toBe(given)
})

test('an organization never receives the events of another organization', async () => {
  const { token } = await createTenant(posthorn.database.prisma)
  await register()
  await createWebhook(callerWith(posthorn.app.url, token), `${receiver.url}theirs`)
  await publish({})
  const arrived = await receiver.arrival(1)
  expect(arrived.path).toBe('/')
  await untilState(String(arrived.headers['wh-id']), 'succeeded')
  expect(receiver.received).toHaveLength(1)
})

test('a delivery has one job with readable columns and no secret', async () => {
  const webhook = await register({
    headers: { 'x-key': 'marker-in-header' },
    url: `${receiver.url}marker-in-path?token=marker-in-url`,
  })
  receiver.answer = (response) =>
    response.writeHead(500, { 'retry-after': '60' }).end('marker-in-answer')
  await publish({ marker: 'marker-in-data' })
  const { headers } = await receiver.arrival(1)
  await until(
    async () => (await delivery(String(headers['wh-id']))).attemptCount === 1,
    'the attempt is recorded',
  )
  await until(async () => (await jobs()).length === 1, 'the job of the attempt is gone')
  const rows = await jobs()
  expect(rows).toMatchObject([
    {
      task: 'posthorn:deliver',
      key: headers['wh-id'],
      attempts: 1,
      maxAttempts: 4,
      lastError: `HTTP 500 from ${new URL(receiver.url).origin} (attempt 1 of 4)`,
    },
  ])
  // `complete_jobs` returns the payload, which the view `jobs` does not have.
  const { rows: whole } = await posthorn.database.pool.query(
    'select * from graphile_worker.complete_jobs(array[$1::bigint])',
    [rows[0]?.id],
  )
  expect(whole[0].payload).toEqual({
    deliveryId: headers['wh-id'],
    webhookId: webhook,
    eventType: JOINED,
    organizationId: posthorn.tenant.publicOrganizationId,
  })
  const text = JSON.stringify([rows, whole])
  expect(text).not.toContain('marker')
  expect(text).not.toContain(await secretOf(webhook))
})

async function register(fields: Record<string, unknown> = {}): Promise<string> {
  const response = await posthorn.rest('POST', '/webhooks', {
    url: receiver.url,
    event_subscriptions: [JOINED],
    enabled: true,
    ...fields,
  })
  const body = await response.json()
  expect(response.status, JSON.stringify(body)).toBe(201)
  return body.id
}

async function secretOf(webhook: string): Promise<string> {
  return (await (await posthorn.rest('GET', `/webhooks/${webhook}/secret`)).json()).key
}

/** Returns the id of the event. */
async function publish(data: unknown) {
  const { services, tenant } = posthorn
  const [event] = await services.publishEvents(tenant.organizationId, [{ type: JOINED, data }])
  return event?.id
}
const uuidOf = (id: string) => parseId('delivery', id) as string

const delivery = (id: string) =>
  posthorn.database.prisma.delivery.findUniqueOrThrow({ where: { id: uuidOf(id) } })

const attemptsOf = (id: string) =>
  posthorn.database.prisma.attempt.findMany({
    where: { deliveryId: uuidOf(id) },
    orderBy: { number: 'asc' },
  })

async function untilState(id: string, state: string) {
  await until(async () => (await delivery(id)).state === state, `${id} is ${state}`)
}

/** Of this organization: others share the database. */
async function jobs() {
  const { organizationId } = posthorn.tenant
  const rows = await posthorn.database.prisma.delivery.findMany({ where: { organizationId } })
  const own = new Set(rows.map((row) => publicId('delivery', row.id)))
  const all = await deliveryJobs(posthorn.database.pool)
  return all.filter(({ key }) => key !== null && own.has(key))
}
