import { afterAll, beforeAll, expect, test } from 'vitest'
import { verify } from '../../packages/receiver/src/index.ts'
import { browser, openBrowserForStories, story } from '../console/support/desk.ts'
import { violations } from '../console/support/violations.ts'
import { visit } from '../console/support/visit.ts'
import { registerWebhook } from '../receiver/support/deliveries.ts'
import { type Stage, setStage } from './support/stage.ts'

let stage: Stage

openBrowserForStories()

beforeAll(async () => {
  stage = await setStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

test('an attendee is stored, and the event arrives, signed', async () => {
  const { receiver, posthorn } = stage
  const { secret } = await registerWebhook(posthorn, receiver.url)
  const answer = await post('/attendees', { name: 'Zoë' })
  expect(answer.status).toBe(200)
  const { id } = await answer.json()
  const { headers, body } = await receiver.arrival(1)
  const delivery = await verify(body, headers, secret)
  expect(delivery).toMatchObject({ ok: true, event: { data: { attendee: id, name: 'Zoë' } } })
  const stored = 'select name from attendees where id = $1'
  expect((await stage.database.query(stored, [id])).rows).toEqual([{ name: 'Zoë' }])
})

test('if the event cannot be published, the attendee is not stored', async () => {
  const { database, posthorn } = stage
  const counts = async () => [
    (await database.query('select from attendees')).rowCount,
    await posthorn.database.prisma.event.count(),
  ]
  const before = await counts()
  expect((await post('/attendees', { name: 'Ada' }, 'unknown')).status).toBe(500)
  expect(await counts()).toEqual(before)
})

test('it refuses a body without a name, a form of another site, and a user who is not signed in', async () => {
  expect((await post('/attendees', { name: 1 })).status).toBe(400)
  expect((await post('/nothing', {})).status).toBe(404)
  expect((await fetch(`${stage.hostUrl}/nothing`)).status).toBe(404)
  for (const route of ['/attendees', '/session', '/webhooks/portal-session']) {
    const form = { method: 'POST', body: new URLSearchParams({ name: 'Mallory' }) }
    expect((await fetch(`${stage.hostUrl}${route}`, form)).status, route).toBe(403)
    expect((await post(route, { name: 'Mallory' }, 'nobody')).status, route).toBe(403)
  }
})

story('its page shows the portal with the webhooks of the user', async () => {
  const { hostUrl, origins, posthorn, receiver } = stage
  const address = `${new URL(receiver.url).host}/portal`
  await registerWebhook(posthorn, `https://${address}`)
  await using reader = await visit(browser, { origins: [hostUrl, ...origins] })
  reader.expectPageErrors(/favicon/)
  await reader.page.goto(`${hostUrl}/webhooks`)
  await reader.page.frameLocator('iframe').getByText(address).first().waitFor()
  expect(await violations(reader.page)).toEqual([])
})

const post = (route: string, body: object, user = '') =>
  fetch(`${stage.hostUrl}${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: `user=${user}` },
    body: JSON.stringify(body),
  })
