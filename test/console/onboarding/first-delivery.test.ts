import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { story, storyBrowser } from '../support/story.ts'
import { type Visit, visit } from '../support/visit.ts'

/* From a new installation to a delivery and a retry, in the console alone. */

let browser: Browser
let server: ConsoleServer
let reader: Visit
let page: Page

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  reader = await visit(browser, { origins: [server.url] })
  // The request before the sign-in.
  reader.expectPageErrors(/status of 401/)
  page = reader.page
})
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

story('a new installation delivers its first event to the test receiver', async () => {
  await page.goto(server.signInLink)
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  await page.getByText('0 of 3 steps done').waitFor()
  await page.getByRole('button', { name: 'Use the test receiver' }).click()
  await page.getByText('1 of 3 steps done').waitFor()

  await publish()
  await page.getByRole('link', { name: 'Test receiver', exact: true }).click()
  await page.getByText('Signature valid').waitFor()
  await page.getByRole('cell', { name: '200', exact: true }).waitFor()
  await page.locator('main tbody a').first().click()
  await page.getByRole('table', { name: 'Headers' }).getByText('wh-signature').waitFor()
  await page.getByRole('region', { name: 'Body' }).getByText('"attendee"').waitFor()

  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('Everything works.', { exact: false }).waitFor()
})

story('told to fail, the receiver shows the failure and then the retry', async () => {
  await page.goto(`${server.url}/console/receiver`)
  await waitUntilLoaded(page)
  await page.getByLabel('Deliveries', { exact: true }).fill('1')
  await page.locator('label').getByText('500', { exact: true }).click()
  await page.getByText('The next delivery fails').waitFor()
  await publish()
  await page.getByRole('link', { name: 'Test receiver', exact: true }).click()
  await page.getByRole('cell', { name: '500', exact: true }).waitFor()
  const accepted = page.getByRole('cell', { name: '200', exact: true })
  await expect.poll(() => accepted.count(), { timeout: 30_000 }).toBe(2)
  await page.getByText('Every delivery succeeds.').waitFor()

  await page.locator('main tbody a').first().click()
  await page.getByRole('link', { name: 'Open the delivery' }).click()
  await page.getByRole('button', { name: 'Attempt 1' }).filter({ hasText: '500' }).waitFor()
  await page.getByRole('button', { name: 'Attempt 2' }).filter({ hasText: '200' }).waitFor()
})

story('the first steps are over once they were seen to be done', async () => {
  await page.goto(`${server.url}/console/overview`)
  await page.getByRole('heading', { name: 'Attempts over time' }).waitFor()
  await waitUntilLoaded(page)
  expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
  expect(reader.pageErrors).toEqual([])
})

async function publish(): Promise<void> {
  await page.goto(`${server.url}/console/events?publish`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByText('Published, with 1 delivery.').waitFor()
}
