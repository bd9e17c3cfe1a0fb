import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { JOINED } from '../../support/factories.ts'
import { call } from '../support/call.ts'
import { type ConsoleServer, startConsoleServer } from '../support/console-server.ts'
import { portalUrl } from '../support/portal-url.ts'
import { story, storyBrowser } from '../support/story.ts'
import { violations } from '../support/violations.ts'
import { type Visit, visit } from '../support/visit.ts'

/* From an empty portal to a delivery, by a customer who has nothing but the link. */

const READ = ['webhooks:read', 'deliveries:read', 'events:read']

let browser: Browser
let server: ConsoleServer
let reader: Visit

beforeAll(async () => {
  browser = await storyBrowser()
  server = await startConsoleServer()
  reader = await customer([...READ, 'webhooks:write', 'deliveries:write', 'secrets:read'])
})
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]()
  await browser?.close()
  await server?.[Symbol.asyncDispose]()
})

async function customer(scopes: readonly string[]): Promise<Visit> {
  const opened = await visit(browser, { origins: [server.url] })
  await opened.page.goto(await portalUrl(server, { scopes }))
  await opened.page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor()
  return opened
}

/** The requests for the steps, from now on. */
function requestsOf({ page }: Visit): string[] {
  const requests: string[] = []
  page.on('request', (request) => {
    const body = request.postData() ?? ''
    if (body.includes('"OnboardingSteps"')) requests.push(body)
  })
  return requests
}

story('the steps are those of a customer, and ask for nothing while nothing changes', async () => {
  const { page } = reader
  await page.getByText('0 of 3 steps done').waitFor()
  const requests = requestsOf(reader)
  const texts = await page.locator('main').innerText()
  for (const word of ['SQL', 'GraphQL', 'Publish']) {
    expect(texts).not.toContain(word)
  }
  expect(await violations(page)).toEqual([])
  // Once more when the stream of attempts is open, and then never.
  await page.waitForTimeout(6_000)
  expect(requests.length).toBeLessThanOrEqual(1)
})

story('a reader who may change nothing sees no steps', async () => {
  await using visitor = await customer(READ)
  await visitor.page.getByText('No endpoints yet').waitFor()
  expect(await visitor.page.getByText('First steps').count()).toBe(0)
})

story('each step is done when the server knows it', async () => {
  const { page } = reader
  await page.getByRole('link', { name: 'Add endpoint' }).last().click()
  await page.getByLabel(/^URL/).fill(server.receiver.url)
  await page.getByRole('checkbox', { name: JOINED }).check()
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByRole('heading', { name: 'Signing secret' }).waitFor()
  await page.getByRole('link', { name: 'Endpoints', exact: true }).first().click()
  await page.getByText('1 of 3 steps done').waitFor()

  await page.getByRole('link', { name: 'Open endpoint' }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.getByText('Delivered').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Endpoints', exact: true }).first().click()
  await page.getByText('2 of 3 steps done').waitFor()

  // The application publishes, and the open page hears of it.
  const event = { type: JOINED, data: { attendee: { email: 'ada@example.com' } } }
  const published = { input: ['PublishEventInput!', event] } as const
  await call(server, 'publishEvent', published, 'publishedEvent { id }')
  await page.getByText('Everything works.', { exact: false }).waitFor()
})

story('a running organization never shows the steps again', async () => {
  await using visitor = await customer([...READ, 'webhooks:write'])
  await visitor.page.getByRole('row').nth(1).waitFor()
  await visitor.page.waitForFunction(() => Object.values(localStorage).includes('yes'))
  const requests = requestsOf(visitor)
  await visitor.page.reload()
  await visitor.page.getByRole('row').nth(1).waitFor()
  expect(await visitor.page.getByText('First steps').count()).toBe(0)
  expect(requests).toEqual([])
})
