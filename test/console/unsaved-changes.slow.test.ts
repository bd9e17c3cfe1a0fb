import { expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { createWebhook } from './support/call.ts'
import { browser, openDesk, page, server, story } from './support/desk.ts'
import { violations } from './support/violations.ts'
import { visit } from './support/visit.ts'

/* The reader loses typed text only after confirming that, and overwrites the text of others only by choice. */
openDesk()

story('a form asks before text is lost by a link, the command menu or Back', async () => {
  const description = page.getByLabel('Description')
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
  const pathname = () => new URL(page.url()).pathname
  const leaveFor = (name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
  async function decline(): Promise<void> {
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await description.inputValue()).toBe('Unsaved text')
    await expect.poll(pathname).toBe('/console/webhooks/new')
  }

  // An untouched form can be left without a question.
  await page.goto(`${server.url}/console/webhooks/new`)
  await description.waitFor()
  await leaveFor('Events')
  await heading('Events').waitFor()
  await leaveFor('Webhooks')
  await page.locator('a[href="/console/webhooks/new"]').first().click()
  await description.fill('Unsaved text')
  await leaveFor('Events')
  await decline()
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox', { name: 'Search and commands' })
  await box.fill('msg_01m7xgjytfecrvetdfjkb8kqpk')
  await page.getByRole('option', { name: /^Open msg_/ }).waitFor()
  await box.press('Enter')
  await decline()
  for (const _time of [1, 2]) {
    await page.evaluate(() => history.back())
    await decline()
  }
  await page.evaluate(() => history.back())
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await heading('Webhooks').waitFor()
  // The form is gone, so nothing is asked.
  await page.evaluate(() => history.back())
  await heading('Events').waitFor()
})

story('of two readers who edit a webhook, the second learns what the first changed', async () => {
  await using colleague = await visit(browser, { origins: [server.url], signedInTo: server })
  const input = { url: server.receiver.url, eventSubscriptions: [JOINED], description: 'First' }
  const webhookId = await createWebhook(server, input)
  const path = `${server.url}/console/webhooks/${webhookId}/edit`
  for (const reader of [page, colleague.page]) {
    await reader.goto(path)
    await reader.getByLabel('Description').waitFor()
  }
  const save = { name: 'Save' }
  await colleague.page.getByLabel('Description').fill('Theirs')
  for (const reader of [page, colleague.page]) {
    await reader.getByRole('button', { name: /^Advanced/ }).click()
  }
  await colleague.page.getByLabel('Rate limit').fill('7')
  await colleague.page.getByRole('button', save).click()
  await colleague.page.getByRole('heading', { name: 'Theirs', level: 1 }).waitFor()

  await page.getByLabel('Description').fill('Mine')
  await page.getByLabel('Rate limit').fill('9')
  await page.getByLabel('Concurrency').fill('3')
  await page.getByRole('button', save).click()
  await page.getByRole('alert').filter({ hasText: 'Somebody else made changes' }).waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', save).click()
  await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor()
  const { webhook: saved } = await server.graphql(
    'query ($id: ID!) { webhook(id: $id) { description rateLimitPerSecond maxInFlight } }',
    { id: webhookId },
  )
  expect(saved).toEqual({ description: 'Mine', rateLimitPerSecond: 9, maxInFlight: 3 })
})
