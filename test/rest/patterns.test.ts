import { expect, onTestFinished, test } from 'vitest'
import { useTestApp } from '../support/app.ts'
import { JOINED, TICKET } from '../support/factories.ts'

const posthorn = await useTestApp({ role: 'api' })

// biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of its response.
async function call(method: string, path: string, body?: object): Promise<any> {
  const response = await posthorn.rest(method, path, body)
  return {
    status: response.status,
    etag: response.headers.get('etag'),
    body: await response.json(),
  }
}

const newWebhook = (...types: string[]) => ({
  url: 'https://example.com/hook',
  event_subscriptions: types,
})

/** Gives a webhook a pattern and a filter, as GraphQL does. */
async function register() {
  const created = await call('POST', '/webhooks', newWebhook(JOINED))
  const { id } = created.body
  const filter = '{"path":"$.n","op":"equals","value":1}'
  await posthorn.database.pool.query(
    `update posthorn.webhooks set event_subscriptions = array['event_attendee.*'], filter = $2,
       filter_path = 'strict $ ? (exists(@.n))', filter_steps = 0, filter_scans = 0
     where posthorn.type_id('wh', id) = $1`,
    [id, filter],
  )
  return id as string
}

const stored = async (id: string) => {
  const { rows } = await posthorn.database.pool.query(
    `select event_subscriptions, filter is not null as has_filter from posthorn.webhooks where posthorn.type_id('wh', id) = $1`,
    [id],
  )
  return rows[0]
}

test('a pattern is shown as the names that it means, and the PUT of that list keeps the pattern and the filter', async () => {
  const id = await register()
  const before = await call('GET', `/webhooks/${id}`)
  expect(before.body.event_subscriptions).toEqual([JOINED, TICKET])
  expect(before.body).not.toHaveProperty('filter')
  const put = await call('PUT', `/webhooks/${id}`, {
    ...before.body,
    event_subscriptions: before.body.event_subscriptions.toReversed(),
  })
  expect(put.status).toBe(200)
  expect(put.body).toEqual(before.body)
  expect(put.etag).toBe(before.etag)
  expect(await stored(id)).toEqual({ event_subscriptions: ['event_attendee.*'], has_filter: true })
})

test('a new event type changes what is shown and the ETag, and not `updated_at`', async () => {
  const id = await register()
  const before = await call('GET', `/webhooks/${id}`)
  await posthorn.database.pool.query(
    `insert into posthorn.event_types (name, description) values ('event_attendee.left', 'Somebody left.')`,
  )
  onTestFinished(async () => {
    await posthorn.database.pool.query(
      `delete from posthorn.event_types where name = 'event_attendee.left'`,
    )
  })
  const after = await call('GET', `/webhooks/${id}`)
  expect(after.body.event_subscriptions).toContain('event_attendee.left')
  expect(after.etag).not.toBe(before.etag)
  expect(after.body.updated_at).toBe(before.body.updated_at)
  const list = await call('GET', '/webhooks')
  expect(list.body.find((one: { id: string }) => one.id === id)).toEqual(after.body)
})

test('the PUT of another list replaces the pattern, and a pattern is refused', async () => {
  const id = await register()
  const pattern = { event_subscriptions: ['event_attendee.*'] }
  const refused = await call('PUT', `/webhooks/${id}`, pattern)
  expect(refused.status).toBe(422)
  expect(refused.body.errors).toMatchObject([{ code: 'unknown_event_type' }])
  expect(await stored(id)).toMatchObject(pattern)
  const put = await call('PUT', `/webhooks/${id}`, { event_subscriptions: [TICKET] })
  expect(put.body.event_subscriptions).toEqual([TICKET])
  expect(await stored(id)).toEqual({ event_subscriptions: [TICKET], has_filter: true })
  expect((await call('POST', '/webhooks', newWebhook('*'))).status).toBe(422)
})
