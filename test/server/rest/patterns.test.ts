import { expect, onTestFinished, test } from 'vitest'
import { JOINED, TICKET } from '../../support/factories.ts'
import { json, NEW_WEBHOOK, problem, useConnectV1 } from './connect-v1.ts'

const api = await useConnectV1()
const { pool } = api.database

async function call(method: string, id: string, body?: object) {
  const response = await api.call(method, `/webhooks/${id}`, { body })
  return { etag: response.headers.get('etag'), body: await json(response) }
}

/** Gives a webhook a pattern and a filter, as GraphQL does. */
async function register() {
  const { id } = await api.create()
  const filter = '{"path":"$.n","op":"equals","value":1}'
  await pool.query(
    `update posthorn.webhooks set event_subscriptions = array['event_attendee.*'], filter = $2,
       filter_path = 'strict $ ? (exists(@.n))', filter_steps = 0, filter_scans = 0
     where posthorn.type_id('wh', id) = $1`,
    [id, filter],
  )
  return id as string
}

const stored = async (id: string) => {
  const { rows } = await pool.query(
    `select event_subscriptions, filter is not null as has_filter from posthorn.webhooks where posthorn.type_id('wh', id) = $1`,
    [id],
  )
  return rows[0]
}

test('a pattern is shown as the names that it means, and the PUT of that list keeps the pattern and the filter', async () => {
  const id = await register()
  const before = await call('GET', id)
  expect(before.body.event_subscriptions).toEqual([JOINED, TICKET])
  expect(before.body).not.toHaveProperty('filter')
  const listed = { event_subscriptions: [TICKET, JOINED] }
  expect(await call('PUT', id, { ...before.body, ...listed })).toEqual(before)
  expect(await stored(id)).toEqual({ event_subscriptions: ['event_attendee.*'], has_filter: true })
})

test('a new event type changes what is shown and the ETag, and not `updated_at`', async () => {
  const id = await register()
  const before = await call('GET', id)
  await pool.query(
    `insert into posthorn.event_types (name, description) values ('event_attendee.left', 'Somebody left.')`,
  )
  onTestFinished(async () => {
    await pool.query(`delete from posthorn.event_types where name = 'event_attendee.left'`)
  })
  const after = await call('GET', id)
  expect(after.body.event_subscriptions).toContain('event_attendee.left')
  expect(after.etag).not.toBe(before.etag)
  expect(after.body.updated_at).toBe(before.body.updated_at)
  expect(await json(await api.call('GET', '/webhooks'))).toContainEqual(after.body)
})

test('the PUT of another list replaces the pattern, and a pattern is refused', async () => {
  const id = await register()
  const pattern = { event_subscriptions: ['event_attendee.*'] }
  const refused = await problem(await api.call('PUT', `/webhooks/${id}`, { body: pattern }), 422)
  expect(refused.errors).toMatchObject([{ code: 'unknown_event_type' }])
  expect(await stored(id)).toMatchObject(pattern)
  const put = await call('PUT', id, { event_subscriptions: [TICKET] })
  expect(put.body.event_subscriptions).toEqual([TICKET])
  expect(await stored(id)).toEqual({ event_subscriptions: [TICKET], has_filter: true })
  const body = { ...NEW_WEBHOOK, event_subscriptions: ['*'] }
  await problem(await api.call('POST', '/webhooks', { body }), 422)
})
