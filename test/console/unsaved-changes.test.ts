import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { story, storyBrowser } from './support/story.ts'
import { type Visit, visit } from './support/visit.ts'

/* The reader loses typed text only after confirming that. */
let browser: Browser
let server: ConsoleServer
let author: Visit

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  author = await visit(browser, { origins: [server.url], signedInTo: server })
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

story.each(['/webhooks/new', '/event-types/new'])(
  '%s asks before unsaved changes are lost',
  async (path) => {
    const { page } = author
    const pages = page.getByRole('navigation', { name: 'Pages' })
    const description = page.getByLabel('Description')
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })

    // An untouched form can be left without a question.
    await page.goto(`${server.url}/console${path}`)
    await description.waitFor()
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
    expect(author.pageErrors).toEqual([])
  },
)

story('the Back button asks too, each time, and continues after a confirmation', async () => {
  const { page } = author
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
    expect(pathname()).toBe('/console/webhooks/new')
  }

  await goBack()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await heading('Webhooks').waitFor()
  expect(pathname()).toBe('/console/webhooks')
  // The form is gone, so nothing is asked.
  await goBack()
  await heading('Events').waitFor()
  expect(author.pageErrors).toEqual([])
})
