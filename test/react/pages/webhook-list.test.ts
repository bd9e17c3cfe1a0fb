import { afterAll, beforeAll, expect } from 'vitest'
import { story } from '../../console/support/story.ts'
import { violations } from '../../console/support/violations.ts'
import { document } from '../../graphql/support/document.ts'
import { until } from '../../support/until.ts'
import {
  call,
  type HostApplication,
  publish,
  startHostApplication,
} from '../support/host-application.ts'

let app: HostApplication

beforeAll(async () => {
  app = await startHostApplication()
  app.posthorn.receiver.answer = (response, { path }) => {
    response.statusCode = path === '/broken' ? 503 : 200
    response.end()
  }
  await app.createWebhook('/invoices')
  const broken = await app.createWebhook('/broken')
  const orders = await app.createWebhook('/orders')
  await publish(app, 1)
  await until(
    async () => (await healthOf(broken)).state === 'FAILING',
    'the broken webhook is failing',
  )
  await until(async () => (await healthOf(orders)).successRate === 1, 'an order was delivered')
})
afterAll(() => app?.[Symbol.asyncDispose]())

async function healthOf(id: string): Promise<{ state: string; successRate: number | null }> {
  const query = 'query ($id: ID!) { webhook(id: $id) { health { state successRate } } }'
  return (await call(app.posthorn, query, { id })).webhook.health
}

story('shows webhooks with their health, page by page, and axe finds nothing', async () => {
  const { token } = await app.createSession()
  await using reader = await app.open({ page: 'list', requestToken: () => token })
  const list = reader.page.locator('[data-posthorn="webhook-list"]')
  const rows = list.locator('tbody tr')
  await rows.nth(1).waitFor()
  expect(await list.getAttribute('data-state')).toBe('ready')
  expect(await rows.nth(0).innerText()).toMatch(/\/orders\s+Healthy\s+100%/)
  expect(await rows.nth(1).innerText()).toMatch(/\/broken\s+Failing\s+0%.*HTTP 503/s)
  expect(await rows.nth(1).getAttribute('data-webhook-state')).toBe('FAILING')
  expect(await rows.nth(0).getByRole('link').getAttribute('href')).toMatch(/^#wh_/)
  expect(await violations(reader.page)).toEqual([])

  await list.getByRole('button', { name: 'Next page' }).click()
  await list.getByText('/invoices').waitFor()
  expect(await rows.count()).toBe(1)
  expect(await list.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
  await list.getByRole('button', { name: 'Previous page' }).click()
  await list.getByText('/orders').waitFor()
})

story('without the scope deliveries:read, shows webhooks without their health', async () => {
  const { token } = await app.createSession({ scopes: ['webhooks:read'] })
  await using reader = await app.open({ page: 'list', requestToken: () => token })
  const row = reader.page.locator('[data-posthorn="webhook-list"] tbody tr').first()
  expect(await row.innerText()).toMatch(/\/orders\s+Enabled\s+–/)
})

story('without the scope webhooks:read, says that the user may not see webhooks', async () => {
  const { token } = await app.createSession({ scopes: ['deliveries:read'] })
  await using reader = await app.open({ page: 'list', requestToken: () => token })
  const list = reader.page.locator('[data-state="forbidden"]')
  expect(await list.getByRole('alert').innerText()).toBe('You may not see this.')
  expect(await violations(reader.page)).toEqual([])
})

story('a token of another organization sees nothing of this one', async () => {
  const create = document('organizations', 'CreateOrganization')
  const { createOrganization } = await call(app.posthorn, create, { input: { name: 'Another' } })
  const organizationId = createOrganization.organization.id
  const { token } = await app.createSession({ organizationId })
  await using reader = await app.open({ page: 'list', requestToken: () => token })
  const list = reader.page.locator('[data-state="empty"]')
  expect(await list.innerText()).toBe('There are no webhooks yet.')
  expect(await violations(reader.page)).toEqual([])
})

story('a revoked token ends in a state of its own, without further requests', async () => {
  const { id, token } = await app.createSession()
  await call(app.posthorn, document('api-keys', 'RevokeApiKey'), { id })
  let requests = 0
  await using reader = await app.open({
    page: 'list',
    requestToken() {
      requests++
      return token
    },
  })
  reader.expectPageErrors(/status of 401/)
  const list = reader.page.locator('[data-state="signed-out"]')
  expect(await list.getByRole('alert').innerText()).toContain('Your session has ended.')
  const requested = requests
  await list.getByRole('button', { name: 'Try again' }).click()
  await until(() => requests > requested, 'the button asks for another token')
  expect(requested).toBeLessThanOrEqual(2)
})

story('a server that cannot be reached is named, and tried again on demand', async () => {
  const { token } = await app.createSession()
  await using reader = await app.open({
    page: 'list',
    posthornUrl: 'http://127.0.0.1:9',
    requestToken: () => token,
  })
  reader.expectPageErrors(/ERR_|Content Security|Failed to load/)
  const list = reader.page.locator('[data-posthorn="webhook-list"][data-state="failed"]')
  expect(await list.getByRole('alert').innerText()).toContain('Posthorn is unreachable.')
})
