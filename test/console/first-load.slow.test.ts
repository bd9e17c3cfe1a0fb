import type { Page, Request, Response } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { createWebhooks } from './seed.ts'
import { browser, openDesk, server, story } from './support/desk.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { backfillStatistics } from './support/statistics-backfill.ts'
import { visit } from './support/visit.ts'

/*
 * Measures the first page load of an organization with a month of statistics. test/graphql/many-deliveries.slow.test.ts
 * checks the query plans of lists with many deliveries.
 */
const SCRIPT_BYTES = 250 * 1_024

const WEBHOOK_PAGE_REQUESTS = 20
const SCRIPTS = 12

let webhookId: string

openDesk()

beforeAll(async () => {
  const webhooks = await createWebhooks(server)
  webhookId = webhooks.boxOffice
  await using database = await server.openDatabase()
  await backfillStatistics(database.pool, webhooks)
})

story(
  'the first load is at most 250 KB of compressed script, all from the same origin',
  async () => {
    const { url } = server
    await using reader = await visit(browser, { origins: [url], signedInTo: server })
    const scripts = collectScripts(reader.page)
    await reader.page.goto(`${url}/console/overview`)
    await waitUntilLoaded(reader.page)
    const sizes = await Promise.all(
      scripts.map(async (script) => {
        const { responseBodySize } = await script.request().sizes()
        return [new URL(script.url()).pathname, responseBodySize] as const
      }),
    )
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0)
    console.log(`first load: ${total} bytes of compressed script in ${sizes.length} files`)
    for (const script of scripts) {
      expect(await script.headerValue('content-encoding'), script.url()).toMatch(/^(br|gzip)$/)
    }
    expect(sizes.length).toBeGreaterThan(1)
    expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(SCRIPT_BYTES)
  },
)

story(
  'a page of a webhook loads with at most 20 requests, each script and query once',
  async () => {
    const { url } = server
    await using reader = await visit(browser, { origins: [url], signedInTo: server })
    const requests: string[] = []
    reader.page.on('request', (request) =>
      requests.push(`${request.method()} ${new URL(request.url()).pathname} ${request.postData()}`),
    )
    await reader.page.goto(`${url}/console/webhooks/${webhookId}`)
    await waitUntilLoaded(reader.page)
    console.log(`page of a webhook: ${requests.length} requests`)
    expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(WEBHOOK_PAGE_REQUESTS)
    const repeated = requests.filter((each, index) => requests.indexOf(each) !== index)
    expect(repeated.filter((each) => /assets|graphql/.test(each))).toEqual([])
  },
)

story.each([
  ['deliveries', () => '/deliveries', 'Deliveries'],
  ['webhooks', () => `/webhooks/${webhookId}`, 'WebhookDetail'],
])(
  'a page of the script %s asks for its data while the script loads, and only once',
  async (script, path, operation) => {
    const { url } = server
    await using reader = await visit(browser, { origins: [url], signedInTo: server })
    const { page } = reader
    const isQuery = (request: Request) =>
      request.url() === `${url}/graphql` && operationOf(request) === operation
    const asked: string[] = []
    page.on('request', (request) => {
      if (isQuery(request)) asked.push(request.postData() ?? '')
    })
    const answered = page.waitForResponse((response) => isQuery(response.request()))
    // The script arrives after the data.
    await page.route(new RegExp(`/${script}-[^/]+\\.js$`), async (route) => {
      await answered
      await route.continue()
    })
    await page.goto(`${url}/console${path()}`)
    await waitUntilLoaded(page)
    expect(asked).toHaveLength(1)
  },
)

story('every page of the console loads at most 12 scripts in all', async () => {
  const { url } = server
  await using reader = await visit(browser, { origins: [url], signedInTo: server })
  const scripts = collectScripts(reader.page)
  const links = ['Webhooks', 'Events', 'Deliveries', 'Event types', 'API keys', 'Audit log']
  await reader.page.goto(`${url}/console/overview`)
  for (const name of links) {
    await reader.page.getByRole('link', { name, exact: true }).click()
    await reader.page.getByRole('heading', { level: 1, name }).waitFor()
    await waitUntilLoaded(reader.page)
  }
  const files = new Set(scripts.map((script) => new URL(script.url()).pathname))
  expect(files.size, [...files].join('\n')).toBeLessThanOrEqual(SCRIPTS)
})

function collectScripts(page: Page): Response[] {
  const scripts: Response[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response)
  })
  return scripts
}

function operationOf(request: Request): string {
  return request.postDataJSON()?.operationName
}
