import { expect } from 'vitest'
import { JOINED } from '../support/factories.ts'
import { createWebhook } from './support/call.ts'
import { browser, openDesk, page, server, story } from './support/desk.ts'
import { violations } from './support/violations.ts'
import { visit } from './support/visit.ts'

/* The reader loses typed text only after confirming that, and overwrites the text of others only by choice. */
openDesk()

story('a form asks before unsaved changes are lost', async () => {
  const path = '/webhooks/new'
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const description = page.getByLabel('Description')
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })

  // An untouched form can be left without a question. The first field has the focus.
  await page.goto(`${server.url}/console${path}`)
  await description.waitFor()
  const first = page.locator('form input').first()
  const hasFocus = () => first.evaluate((input) => input === document.activeElement)
  await expect.poll(hasFocus).toBe(true)
  await pages.getByRole('link', { name: 'Events', exact: true }).click()
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()

  await page.goto(`${server.url}/console${path}`)
  await description.fill('Unsaved text')
  await pages.getByRole('link', { name: 'Events', exact: true }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'Cancel' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox', { name: 'Search and commands' })
  await box.fill('msg_01m7xgjytfecrvetdfjkb8kqpk')
  await page.getByRole('option', { name: /^Open msg_/ }).waitFor()
  await box.press('Enter')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await description.inputValue()).toBe('Unsaved text')
  expect(new URL(page.url()).pathname).toBe(`/console${path}`)

  await pages.getByRole('link', { name: 'Events', exact: true }).click()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
  await pages.getByRole('link', { name: 'Deliveries', exact: true }).click()
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
})

story('the Back button asks too, each time, and continues after a confirmation', async () => {
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const description = page.getByLabel('Description')
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
  const goBack = () => page.evaluate(() => history.back())
  const pathname = () => new URL(page.url()).pathname

  await page.goto(`${server.url}/console/events`)
  await heading('Events').waitFor()
  await pages.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await page.locator('a[href="/console/webhooks/new"]').first().click()
  await description.fill('Unsaved text')
  for (const _time of [1, 2]) {
    await goBack()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await description.inputValue()).toBe('Unsaved text')
    // The router goes forward again, beside the question.
    await expect.poll(pathname).toBe('/console/webhooks/new')
  }

  await goBack()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await heading('Webhooks').waitFor()
  expect(pathname()).toBe('/console/webhooks')
  // The form is gone, so nothing is asked.
  await goBack()
  await heading('Events').waitFor()
})

story(
  'of two readers who edit a webhook, the second learns of the changes of the first',
  async () => {
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
    const { webhook: saved } = await server.graphql<{ webhook: object }>(
      'query ($id: ID!) { webhook(id: $id) { description rateLimitPerSecond maxInFlight } }',
      { id: webhookId },
    )
    expect(saved).toEqual({ description: 'Mine', rateLimitPerSecond: 9, maxInFlight: 3 })
  },
)
