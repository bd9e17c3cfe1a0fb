import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type SeededServer, seedServer } from './seed.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { violations } from './support/violations.ts'
import { visit } from './support/visit.ts'

let browser: Browser
let seed: SeededServer

beforeAll(async () => {
  browser = await storyBrowser()
  seed = await seedServer()
})
afterAll(async () => {
  await browser?.close()
  await seed?.[Symbol.asyncDispose]()
})

/** Checks the open dialog in both color schemes, and on a small screen. */
async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  expect.soft(await violations(page), 'light').toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 740 })
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
  expect.soft(await violations(page), 'dark, 360 pixels').toEqual([])
}

story('the sign-in page is accessible, with and without an error', async () => {
  await using reader = await visit(browser, { origins: [seed.server.url] })
  reader.expectPageErrors(/status of 401/)
  const { page } = reader
  await page.goto(`${seed.server.url}/console`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await expectAccessible(page)
  await page.getByLabel('API key', { exact: true }).fill('phk_wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await expectAccessible(page)
})

const DIALOGS: readonly [what: string, path: () => string, open: (page: Page) => Promise<void>][] =
  [
    [
      'publishing an event',
      () => '/events',
      (page) => page.getByRole('button', { name: 'Publish event' }).click(),
    ],
    [
      'sending a test event',
      () => `/webhooks/${seed.webhooks.boxOffice}`,
      (page) => page.getByRole('button', { name: 'Send test event' }).click(),
    ],
    [
      'rotating a secret',
      () => `/webhooks/${seed.webhooks.boxOffice}?tab=secret`,
      (page) => page.getByRole('button', { name: 'Rotate' }).click(),
    ],
    [
      'disabling a webhook',
      () => `/webhooks/${seed.webhooks.boxOffice}`,
      (page) => page.getByRole('button', { name: 'Disable' }).click(),
    ],
    [
      'creating an organization',
      () => '/organizations',
      (page) => page.getByRole('link', { name: 'Create organization' }).click(),
    ],
  ]

story.each(DIALOGS)(
  'the dialog for %s is accessible, and Escape closes it',
  async (_, path, open) => {
    const { url } = seed.server
    await using reader = await visit(browser, { origins: [url], signedInTo: seed.server })
    const { page } = reader
    await page.goto(`${url}/console${path()}`)
    await waitUntilLoaded(page)
    await open(page)
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  },
)
