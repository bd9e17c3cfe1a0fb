import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { story } from '../../console/support/story.ts'
import { until } from '../../support/until.ts'
import {
  call,
  type HostApplication,
  publish,
  startHostApplication,
} from '../support/host-application.ts'

let app: HostApplication
let webhookId: string

beforeAll(async () => {
  app = await startHostApplication()
  webhookId = await app.createWebhook('/hooks')
  await publish(app, 2)
  const query = '{ attempts { nodes { succeeded } } }'
  await until(
    async () => (await call(app.posthorn, query, {})).attempts.nodes.length === 2,
    'the attempts are recorded',
  )
})
afterAll(() => app?.[Symbol.asyncDispose]())

const textOf = (page: Page, id: string) => page.locator(`#${id}`).innerText()

async function untilText(page: Page, id: string, pattern: RegExp): Promise<void> {
  await until(async () => pattern.test(await textOf(page, id)), `#${id} shows ${pattern}`)
}

/** Presses a button, and returns what came of its change. */
async function press(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name, exact: true }).click()
  const outcome = page.locator(`[data-of="${name}"]`)
  await until(async () => (await outcome.innerText()) !== '', `${name} has an outcome`)
  return await outcome.innerText()
}

story(
  'hooks read one webhook, its deliveries and attempts, and documents of the host',
  async () => {
    const { token } = await app.createSession()
    await using reader = await app.open({ page: 'hooks', webhookId, requestToken: () => token })
    const { page } = reader
    await untilText(page, 'webhook', /\/hooks/)
    await untilText(page, 'session', /FRONTEND/)
    await untilText(page, 'attempts', /2/)
    await untilText(page, 'delivery', /^msg_\w+ 1 true$/)
    const [newest = ''] = (await textOf(page, 'delivery')).split(' ')
    await page.getByRole('button', { name: 'Older' }).click()
    await until(async () => {
      const shown = await textOf(page, 'delivery')
      return /^msg_\w+ 2 false$/.test(shown) && !shown.startsWith(newest)
    }, 'the older delivery is shown')
  },
)

story('the signing secret is read only while it is revealed', async () => {
  const { token } = await app.createSession()
  await using reader = await app.open({ page: 'hooks', webhookId, requestToken: () => token })
  const { page } = reader
  await untilText(page, 'webhook', /\/hooks/)
  expect(await textOf(page, 'secret')).toBe('')
  await page.getByRole('button', { name: 'Reveal' }).click()
  await untilText(page, 'secret', /^whsec_/)
  const before = await textOf(page, 'secret')
  expect(await press(page, 'Rotate')).toBe('done')
  await until(async () => (await textOf(page, 'secret')) !== before, 'the new secret is shown')
  await page.getByRole('button', { name: 'Reveal' }).click()
  await untilText(page, 'secret', /^$/)
})

story('changes report their outcome, and hooks read again', async () => {
  const id = await app.createWebhook('/changes')
  const { token } = await app.createSession()
  await using reader = await app.open({ page: 'hooks', webhookId: id, requestToken: () => token })
  const { page } = reader
  await untilText(page, 'webhook', /\/changes null$/)
  expect(await press(page, 'Test nothing')).toBe('BAD_USER_INPUT eventType')
  expect(await press(page, 'Resume')).toBe('CONFLICT')
  expect(await press(page, 'Redeliver')).toBe('NOT_FOUND')
  expect(await press(page, 'Test')).toBe('done')
  await untilText(page, 'delivery', /^msg_/)
  expect(await press(page, 'Rename')).toBe('done')
  await untilText(page, 'webhook', /\/changes Renamed$/)
  expect(await press(page, 'Delete')).toBe('done')
  await untilText(page, 'webhook', /^NOT_FOUND$/)
})

story('a change without its scope is rejected, and nothing is changed', async () => {
  const { token } = await app.createSession({ scopes: ['webhooks:read', 'deliveries:read'] })
  await using reader = await app.open({ page: 'hooks', webhookId, requestToken: () => token })
  await untilText(reader.page, 'webhook', /\/hooks/)
  expect(await press(reader.page, 'Delete')).toBe('FORBIDDEN')
  const query = 'query ($id: ID!) { webhook(id: $id) { id } }'
  expect(await call(app.posthorn, query, { id: webhookId })).toEqual({ webhook: { id: webhookId } })
})
