import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type ConsoleServer, startConsoleServer } from './support/console-server.ts'
import { story, storyBrowser } from './support/story.ts'
import { type Visit, visit } from './support/visit.ts'

/* What somebody has typed into a form is lost only when they say so. */
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

story.each(['/webhooks/new', '/event-types/new'])('%s asks before it is left', async (path) => {
  const { page } = author
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const description = page.getByLabel('Description')
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })

  // With nothing typed, there is nothing to ask.
  await page.goto(`${server.url}/console${path}`)
  await description.waitFor()
  await pages.getByRole('link', { name: 'Events', exact: true }).click()
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()

  await page.goto(`${server.url}/console${path}`)
  await description.fill('Not to be lost')
  await pages.getByRole('link', { name: 'Events', exact: true }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'Cancel' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByLabel('Go to an id').fill('msg_01m7xgjytfecrvetdfjkb8kqpk')
  await page.getByLabel('Go to an id').press('Enter')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(await description.inputValue()).toBe('Not to be lost')
  expect(new URL(page.url()).pathname).toBe(`/console${path}`)

  await pages.getByRole('link', { name: 'Events', exact: true }).click()
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
  await pages.getByRole('link', { name: 'Deliveries', exact: true }).click()
  await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor()
  expect(author.troubles).toEqual([])
})

story(
  'the way back of the browser asks too, each time, and leads on once one says so',
  async () => {
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
    await description.fill('Not to be lost')
    for (const _time of [1, 2]) {
      await goBack()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'hidden' })
      expect(await description.inputValue()).toBe('Not to be lost')
      expect(pathname()).toBe('/console/webhooks/new')
    }

    await goBack()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await heading('Webhooks').waitFor()
    expect(pathname()).toBe('/console/webhooks')
    // Nothing typed is there any more, so nothing is asked.
    await goBack()
    await heading('Events').waitFor()
    expect(author.troubles).toEqual([])
  },
)
