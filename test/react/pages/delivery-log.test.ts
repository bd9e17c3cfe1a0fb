import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { parseId } from '../../../src/db/ids.ts'
import { story } from '../../console/support/story.ts'
import { violations } from '../../console/support/violations.ts'
import { document } from '../../graphql/support/document.ts'
import { until } from '../../support/until.ts'
import { openBreakableConnection } from '../support/breakable-connection.ts'
import {
  call,
  type HostApplication,
  publish,
  startHostApplication,
} from '../support/host-application.ts'

let app: HostApplication

beforeAll(async () => {
  app = await startHostApplication()
})
afterAll(() => app?.[Symbol.asyncDispose]())

const logOf = ({ page }: { page: Page }) => page.locator('[data-posthorn="delivery-log"]')
const live = (log: Locator) => log.page().locator('[data-connection="live"]').waitFor()

/** The attempts that Posthorn has recorded for a webhook, newest first. */
async function recorded(webhookId: string): Promise<string[]> {
  const query = `query ($filter: AttemptFilter) {
    attempts(filter: $filter, first: 100) { nodes { id } }
  }`
  const { attempts } = await call(app.posthorn, query, { filter: { webhookIds: [webhookId] } })
  return attempts.nodes.map(({ id }: { id: string }) => id)
}

const shown = (log: Locator) =>
  log.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id')))

async function untilShown(log: Locator, webhookId: string, count: number): Promise<void> {
  await until(async () => (await shown(log)).length === count, `${count} attempts are shown`)
  expect(await shown(log)).toEqual(await recorded(webhookId))
}

story(
  'shows each attempt when it is recorded, from an empty log on, and axe finds nothing',
  async () => {
    const webhookId = await app.createWebhook('/live')
    const { token } = await app.createSession()
    await using reader = await app.open({ page: 'log', webhookId, requestToken: () => token })
    const log = logOf(reader)
    await live(log)
    expect(await log.innerText()).toContain('There are no attempts yet.')
    expect(await violations(reader.page)).toEqual([])
    await publish(app, 3)
    await untilShown(log, webhookId, 3)
    expect(await log.locator('tbody tr').first().innerText()).toContain('Delivered (HTTP 200)')
    expect(await log.getByRole('status').innerText()).toBe('Live')
    expect(await violations(reader.page)).toEqual([])
  },
)

story('after a lost connection, shows the attempts that were missed, each once', async () => {
  const webhookId = await app.createWebhook('/missed')
  const { token } = await app.createSession()
  await using connection = await openBreakableConnection(app.posthorn.url)
  await using reader = await app.open({
    page: 'log',
    webhookId,
    posthornUrl: connection.url,
    requestToken: () => token,
  })
  reader.expectPageErrors(/ERR_|net::/)
  const log = logOf(reader)
  await live(log)
  await publish(app, 2)
  await untilShown(log, webhookId, 2)

  connection.break()
  await log.getByText('Connection lost. Connecting again…').waitFor()
  await publish(app, 5)
  await until(async () => (await recorded(webhookId)).length === 7, 'the attempts are recorded')
  expect(await shown(log)).toHaveLength(2)
  connection.repair()
  await live(log)
  await untilShown(log, webhookId, 7)
  await publish(app, 1)
  await untilShown(log, webhookId, 8)
})

story('after more missed attempts than a stream resumes with, the log is read again', async () => {
  const webhookId = await app.createWebhook('/reload')
  const { token } = await app.createSession()
  await using connection = await openBreakableConnection(app.posthorn.url)
  await using reader = await app.open({
    page: 'log',
    webhookId,
    posthornUrl: connection.url,
    requestToken: () => token,
  })
  reader.expectPageErrors(/ERR_|net::/)
  const log = logOf(reader)
  await live(log)
  await publish(app, 1)
  await untilShown(log, webhookId, 1)
  connection.break()
  await log.getByText('Connection lost. Connecting again…').waitFor()
  await addAttempts(webhookId, 10_001)
  const listed = reader.page.waitForRequest((request) =>
    (request.postData() ?? '').includes('query PosthornAttempts'),
  )
  connection.repair()
  await listed
  await live(log)
  await until(async () => (await shown(log)).length === 50, 'the list is shown')
  const [last] = await recorded(webhookId)
  expect((await shown(log))[0]).toBe(last)
  await publish(app, 1)
  await until(async () => {
    const [newest] = await recorded(webhookId)
    return newest !== last && (await shown(log))[0] === newest
  }, 'the log is live')
})

/** Copies the attempt of a webhook, faster than attempts are made. */
async function addAttempts(webhookId: string, count: number): Promise<void> {
  await using database = await app.posthorn.openDatabase()
  await database.pool.query(
    `insert into posthorn.attempts (id, delivery_id, organization_id, webhook_id, number, started_at, succeeded,
       duration_ms, status, request_url)
     select posthorn.uuid_v7(), delivery_id, organization_id, webhook_id, 1, now(), true, 1, 200, ''
     from posthorn.attempts, generate_series(1, $2) where webhook_id = $1`,
    [parseId('webhook', webhookId), count],
  )
}

story('an attempt can be sent again', async () => {
  const webhookId = await app.createWebhook('/again')
  await publish(app, 1)
  const { token } = await app.createSession()
  await using reader = await app.open({ page: 'log', webhookId, requestToken: () => token })
  const log = logOf(reader)
  await log.getByRole('button', { name: /^Send again/ }).click()
  await untilShown(log, webhookId, 2)
})

story('without the scope deliveries:write nothing can be sent again', async () => {
  const webhookId = await app.createWebhook('/read-only')
  await publish(app, 1)
  const { token } = await app.createSession({ scopes: ['webhooks:read', 'deliveries:read'] })
  await using reader = await app.open({ page: 'log', webhookId, requestToken: () => token })
  const log = logOf(reader)
  await untilShown(log, webhookId, 1)
  expect(await log.getByRole('button').count()).toBe(0)
})

story('a session that ends is replaced, and the log goes on with what it missed', async () => {
  const webhookId = await app.createWebhook('/renewed')
  const sessions = [await app.createSession(), await app.createSession()]
  let requests = 0
  await using reader = await app.open({
    page: 'log',
    webhookId,
    requestToken: () => sessions[Math.min(requests++, 1)]?.token ?? '',
  })
  const log = logOf(reader)
  await live(log)
  await call(app.posthorn, document('api-keys', 'RevokeApiKey'), { id: sessions[0]?.id })
  await until(() => requests === 2, 'the page asks for another token')
  await publish(app, 1)
  await untilShown(log, webhookId, 1)
  await live(log)
})

story('a session that ends for good ends the log, and nothing is tried again', async () => {
  const webhookId = await app.createWebhook('/ended')
  const { id, token } = await app.createSession()
  let requests = 0
  await using reader = await app.open({
    page: 'log',
    webhookId,
    requestToken() {
      requests++
      return token
    },
  })
  reader.expectPageErrors(/status of 401/)
  const log = logOf(reader)
  await live(log)
  await call(app.posthorn, document('api-keys', 'RevokeApiKey'), { id })
  await reader.page.locator('[data-connection="ended"][data-state="signed-out"]').waitFor()
  expect(await log.getByRole('alert').innerText()).toContain('Your session has ended.')
  expect(requests).toBeLessThanOrEqual(3)
})

story(
  'a page that is left closes its stream, and opens another when it is shown again',
  async () => {
    const webhookId = await app.createWebhook('/left')
    const { token } = await app.createSession()
    await using reader = await app.open({ page: 'log', webhookId, requestToken: () => token })
    await live(logOf(reader))
    const closed = reader.page.waitForEvent('requestfailed', (request) => {
      return request.headers()['accept'] === 'text/event-stream'
    })
    await reader.page.getByRole('button', { name: 'Leave' }).click()
    await closed
    await reader.page.getByRole('button', { name: 'Return' }).click()
    await live(logOf(reader))
    await publish(app, 1)
    await untilShown(logOf(reader), webhookId, 1)
  },
)

story('a token of another organization cannot follow a webhook', async () => {
  const webhookId = await app.createWebhook('/foreign')
  await publish(app, 1)
  const create = document('organizations', 'CreateOrganization')
  const { createOrganization } = await call(app.posthorn, create, { input: { name: 'Another' } })
  const { token } = await app.createSession({ organizationId: createOrganization.organization.id })
  await using reader = await app.open({ page: 'log', webhookId, requestToken: () => token })
  await reader.page.locator('[data-connection="ended"]').waitFor()
  expect(await shown(logOf(reader))).toEqual([])
})
