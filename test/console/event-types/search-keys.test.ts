import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts'
import { story, storyBrowser } from '../support/story.ts'
import { type Visit, visit } from '../support/visit.ts'

let browser: Browser
let server: ConsoleServer
let operator: Visit

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  operator = await visit(browser, { origins: [server.url], signedInTo: server })
})
afterAll(async () => {
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

story('an operator gives an event type search keys, and corrects a path', async () => {
  const { page } = operator
  await page.goto(`${server.url}/console/event-types/new`)
  await page.getByLabel('Name').fill('order.keyed')
  await page.getByLabel('Description').fill('An order.')
  const keys = page.getByLabel('Search keys')
  await keys.fill('$.order.id\ncustomer.id')
  await page.getByRole('button', { name: 'Create event type' }).click()
  await page.getByText('searchKeys[1] must be a path such as $.order.id').waitFor()
  await keys.fill('$.order.id\n\n$.customer.id\n')
  await page.getByRole('button', { name: 'Create event type' }).click()
  await page.getByText('$.order.id, $.customer.id').waitFor()

  await page.getByRole('link', { name: 'Edit' }).click()
  expect(await keys.inputValue()).toBe('$.order.id\n$.customer.id')
  await keys.fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('No example.').waitFor()
  await page.getByText('Search keys', { exact: true }).waitFor({ state: 'detached' })
  expect(operator.pageErrors).toEqual([])
})
