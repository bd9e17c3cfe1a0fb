import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Life, seedLife } from './seed.ts'
import { settled } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { violations } from './support/violations.ts'
import { visit } from './support/visit.ts'

let browser: Browser
let life: Life

beforeAll(async () => {
  browser = await storyBrowser()
  life = await seedLife()
})
afterAll(async () => {
  await browser?.close()
  await life?.[Symbol.asyncDispose]()
})

/** What is open on the page can be used by everybody, in both themes and on a small screen. */
async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  expect.soft(await violations(page), 'light').toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 740 })
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
  expect.soft(await violations(page), 'dark, 360 pixels').toEqual([])
}

story('the page to sign in is accessible, empty and when it refuses', async () => {
  await using newcomer = await visit(browser, { origins: [life.server.url] })
  newcomer.expectTroubles(/status of 401/)
  const { page } = newcomer
  await page.goto(`${life.server.url}/console`)
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
      (page) => page.getByRole('button', { name: 'Publish an event' }).click(),
    ],
    [
      'sending a test event',
      () => `/webhooks/${life.webhooks.boxOffice}`,
      (page) => page.getByRole('button', { name: 'Send test event' }).click(),
    ],
    [
      'rotating a secret',
      () => `/webhooks/${life.webhooks.boxOffice}?tab=secret`,
      (page) => page.getByRole('button', { name: 'Rotate' }).click(),
    ],
    [
      'pausing a webhook',
      () => `/webhooks/${life.webhooks.boxOffice}`,
      (page) => page.getByRole('button', { name: 'Pause' }).click(),
    ],
    [
      'making an organization',
      () => '/organizations',
      (page) => page.getByRole('link', { name: 'Create an organization' }).click(),
    ],
  ]

story.each(DIALOGS)(
  'the dialog for %s is accessible, and Escape closes it',
  async (_, path, open) => {
    const { url } = life.server
    await using reader = await visit(browser, { origins: [url], signedInTo: life.server })
    const { page } = reader
    await page.goto(`${url}/console${path()}`)
    await settled(page)
    await open(page)
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  },
)
