import { createServer } from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHost } from '../../examples/host/host.ts'
import { verify } from '../../packages/receiver/src/index.ts'
import { browser, openBrowserForStories, story } from '../console/support/desk.ts'
import { violations } from '../console/support/violations.ts'
import { visit } from '../console/support/visit.ts'
import { registerWebhook } from '../receiver/support/deliveries.ts'
import { createApiKey } from '../support/api-keys.ts'
import { startTestApp } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { closeServer, listen } from '../support/listen.ts'
import { startReceiver } from '../support/receiver.ts'

let stage: Awaited<ReturnType<typeof setStage>>

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
  expect(await namesOf(id)).toEqual(['Zoë'])
})

test('if the event cannot be published, the attendee is not stored', async () => {
  const { database, posthorn } = stage
  const counts = async () => [
    (await database.query('select from attendees')).rowCount,
    await posthorn.database.prisma.event.count(),
  ]
  const before = await counts()
  stage.organization = 'org_00000000000000000000000000'
  expect((await post('/attendees', { name: 'Ada' })).status).toBe(500)
  stage.organization = posthorn.tenant.publicOrganizationId
  expect(await counts()).toEqual(before)
})

test('it refuses a body without a name, a form of another site, and a user who is not signed in', async () => {
  expect((await post('/attendees', { name: 1 })).status).toBe(400)
  expect((await post('/nothing', {})).status).toBe(404)
  expect((await fetch(`${stage.url}/nothing`)).status).toBe(404)
  for (const route of ['/attendees', '/session', '/webhooks/portal-session']) {
    const form = { method: 'POST', body: new URLSearchParams({ name: 'Mallory' }) }
    expect((await fetch(`${stage.url}${route}`, form)).status, route).toBe(403)
    stage.organization = null
    expect((await post(route, { name: 'Mallory' })).status, route).toBe(403)
    stage.organization = stage.posthorn.tenant.publicOrganizationId
  }
})

story('its page shows the portal with the webhooks of the user', async () => {
  const { url, posthorn, receiver } = stage
  const address = `${new URL(receiver.url).host}/portal`
  await registerWebhook(posthorn, `https://${address}`)
  await using reader = await visit(browser, { origins: [url, posthorn.app.url] })
  reader.expectPageErrors(/favicon/)
  await reader.page.goto(`${url}/webhooks`)
  await reader.page.frameLocator('iframe').getByText(address).first().waitFor()
  expect(await violations(reader.page)).toEqual([])
})

const post = (route: string, body: object) =>
  fetch(`${stage.url}${route}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function namesOf(id: number): Promise<string[]> {
  const { rows } = await stage.database.query('select name from attendees where id = $1', [id])
  return rows.map(({ name }) => name)
}

/** The host on an origin of its own, Posthorn with its database, and a receiver. */
async function setStage() {
  const cleanup = new AsyncDisposableStack()
  const port = await freePort()
  const url = `http://localhost:${port}`
  const receiver = cleanup.use(await startReceiver())
  const posthorn = cleanup.use(
    await startTestApp({
      trustedAuthorities: [receiver.authority],
      environment: { POSTHORN_PORTAL_ORIGINS: url },
    }),
  )
  const database = new pg.Pool({ connectionString: posthorn.database.url })
  cleanup.defer(() => database.end())
  await database.query('create table attendees (id serial primary key, name text)')
  const { organizationId, publicOrganizationId } = posthorn.tenant
  const { token } = await createApiKey(posthorn.database.prisma, {
    organizationId,
    scopes: ['admin'],
  })
  const stage = {
    ...{ posthorn, database, receiver, url },
    /** Of the user who is signed in. */
    organization: publicOrganizationId as string | null,
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  }
  const organizationOf = () => stage.organization
  const options = { url: posthorn.app.url, key: token, database, organizationOf }
  const host = createServer(createHost(options))
  await listen(host, { port })
  cleanup.defer(() => closeServer(host))
  return stage
}
