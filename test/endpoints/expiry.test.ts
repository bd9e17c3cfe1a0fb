import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseId } from '../../src/db/ids.ts'
import { deleteExpiredWebhooks } from '../../src/webhooks/delete-expired-webhooks.ts'
import { publish } from '../forwarding/support/rows.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { JOINED } from '../support/factories.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

let receiver: Receiver
let posthorn: TestApp

beforeAll(async () => {
  receiver = await startReceiver()
  posthorn = await startTestApp({ trustedAuthorities: [receiver.authority] })
})
afterAll(async () => {
  await posthorn[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})
beforeEach(() => {
  receiver.clear()
  receiver.answer = (response) => response.end()
})

const UPSERT = `mutation ($uid: String!, $input: UpsertWebhookInput!) {
  result: upsertWebhook(uid: $uid, input: $input) {
    ... on UpsertWebhookSuccess { created webhook { id expiresAt endsWhenGone messageIdKind } }
    ... on ValidationError { issues { path code message } } } }`

const later = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()
let count = 0
const newUid = () => `expiry-${++count}`

async function upsert(uid: string, others: object) {
  const input = { url: receiver.url, eventSubscriptions: [JOINED], enabled: true, ...others }
  return (await posthorn.graphql(UPSERT, { uid, input })).result
}

async function addWebhook(others: object): Promise<string> {
  return (await upsert(newUid(), others)).webhook.id
}

/** The clock of Postgres decides, so a test moves the time of the row. */
async function expire(id: string): Promise<void> {
  const { rowCount } = await posthorn.database.pool.query(
    `update posthorn.webhooks set expires_at = now() - interval '1 second' where id = $1`,
    [parseId('webhook', id)],
  )
  expect(rowCount).toBe(1)
}

const deleteExpired = () => deleteExpiredWebhooks(posthorn.database, posthorn.services.keyring)
const isDeleted = async (id: string) => {
  const { webhook } = await posthorn.graphql('query ($id: ID!) { webhook: node(id: $id) { id } }', {
    id,
  })
  return webhook === null
}
const deliveriesOf = async (id: string) => {
  const { rows } = await posthorn.database.pool.query<{ state: string; attempts: number }>(
    'select state::text, attempt_count as attempts from posthorn.deliveries where webhook_id = $1',
    [parseId('webhook', id)],
  )
  return rows
}
const event = () => publish(posthorn, { type: JOINED, data: {} })

describe('an expiry', () => {
  test.each([
    [later(-1), 'IN_THE_PAST', 'expiresAt must be in the future.'],
    [later(11 * 366 * 86_400), 'OUT_OF_RANGE', 'expiresAt must be at most 10 years from now.'],
  ])('%s is refused: %s', async (expiresAt, code, message) => {
    const { issues } = await upsert(newUid(), { expiresAt })
    expect(issues).toEqual([
      { path: ['expiresAt'], code: code.toLowerCase(), message: expect.stringContaining(message) },
    ])
  })

  test('is moved by an upsert, and removed by null', async () => {
    const uid = newUid()
    const [first, second] = [later(60), later(120)]
    expect(await upsert(uid, { expiresAt: first })).toMatchObject({ created: true })
    const moved = await upsert(uid, { expiresAt: second })
    expect(moved).toMatchObject({ created: false })
    expect(Date.parse(moved.webhook.expiresAt)).toBe(Date.parse(second))
    expect((await upsert(uid, { expiresAt: null })).webhook.expiresAt).toBeNull()
  })
})

describe('an expired webhook', () => {
  test('gets no delivery, and one that has not expired gets one', async () => {
    const [expired, running] = [
      await addWebhook({ expiresAt: later(600) }),
      await addWebhook({ expiresAt: later(600) }),
    ]
    await expire(expired)
    const { event: id } = await event()
    expect(await deliveriesOf(expired)).toEqual([])
    expect(await deliveriesOf(running)).toHaveLength(1)
    const { whyNotDelivered } = await posthorn.graphql(
      'query ($e: ID!, $w: ID!) { whyNotDelivered(eventId: $e, webhookId: $w) { reason message } }',
      { e: id, w: expired },
    )
    expect(whyNotDelivered).toEqual({
      reason: 'EXPIRED',
      message: expect.stringContaining('It expired at'),
    })
    await expire(running)
    await deleteExpired()
  })

  test('is deleted with its pending deliveries, by the system', async () => {
    receiver.answer = (response) => {
      response.statusCode = 503
      response.end()
    }
    const id = await addWebhook({ expiresAt: later(600), retryScheduleSeconds: [600] })
    await event()
    await until(async () => (await deliveriesOf(id))[0]?.attempts === 1, 'an attempt fails')
    await expire(id)
    expect(await deleteExpired()).toBe(1)
    expect(await isDeleted(id)).toBe(true)
    await until(async () => (await deliveriesOf(id))[0]?.state === 'canceled', 'it is canceled')
    const { rows } = await posthorn.database.pool.query(
      `select source::text, action from posthorn.audit_log where subject_id = $1 order by id desc limit 1`,
      [id],
    )
    expect(rows).toEqual([{ source: 'system', action: 'webhook.deleted' }])
  })

  test('that is renewed stays, also if it was about to be deleted', async () => {
    const uid = newUid()
    const { id } = (await upsert(uid, { expiresAt: later(600) })).webhook
    await expire(id)
    await upsert(uid, { expiresAt: later(600) })
    expect(await deleteExpired()).toBe(0)
    expect(await isDeleted(id)).toBe(false)
    await event()
    expect(await deliveriesOf(id)).toHaveLength(1)
  })

  test('leaves its uid to a new one', async () => {
    const uid = newUid()
    const { id } = (await upsert(uid, { expiresAt: later(600) })).webhook
    await expire(id)
    await deleteExpired()
    const next = await upsert(uid, { expiresAt: later(600) })
    expect(next).toMatchObject({ created: true })
    expect(next.webhook.id).not.toBe(id)
  })
})

describe('an answer with 410', () => {
  const gone: Receiver['answer'] = (response) => {
    response.statusCode = 410
    response.end()
  }

  test('ends a webhook that asks for this', async () => {
    const id = await addWebhook({ endsWhenGone: true })
    receiver.answer = gone
    await event()
    await until(async () => {
      await deleteExpired()
      return await isDeleted(id)
    }, 'the webhook is deleted')
    await until(async () => (await deliveriesOf(id))[0]?.state === 'canceled', 'it is canceled')
  })

  test('is a failure as any other for the others', async () => {
    const id = await addWebhook({})
    receiver.answer = gone
    await event()
    await until(async () => (await deliveriesOf(id))[0]?.state === 'exhausted', 'it is exhausted')
    expect(await deleteExpired()).toBe(0)
    expect(await isDeleted(id)).toBe(false)
  })
})

test('a webhook sends the id of the event, signed, if it asks for this', async () => {
  const url = `${receiver.url}by-event`
  await addWebhook({ url, messageIdKind: 'EVENT' })
  const { event: id } = await event()
  const arrived = () => receiver.received.find(({ path }) => path === '/by-event') as Received
  await until(arrived, 'the delivery arrives')
  expect(arrived().headers['wh-id']).toBe(id)
})
