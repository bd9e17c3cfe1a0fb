import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { VERSION } from '../../../src/lib/version.ts'
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { story, storyBrowser } from '../support/story.ts'
import { visit } from '../support/visit.ts'

let browser: Browser
let server: ConsoleServer

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

story('the account menu shows the version, and what is new in it', async () => {
  await using reader = await visit(browser, { origins: [server.url], signedInTo: server })
  const { page } = reader
  await page.goto(`${server.url}/console/event-types`)
  await waitUntilLoaded(page)
  await page.getByRole('button', { name: 'Account and appearance' }).click()
  await page.getByText(`Posthorn ${VERSION}`, { exact: true }).waitFor()
  await page.getByRole('menuitem', { name: 'What is new' }).click()
  const dialog = page.getByRole('dialog', { name: /What is new/ })
  await dialog
    .getByRole('heading', { name: /^(Unreleased|\d)/ })
    .first()
    .waitFor()
  expect(await dialog.getByRole('listitem').count()).toBeGreaterThan(20)
})
