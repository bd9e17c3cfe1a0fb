import type { Frame } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type SeededServer, seedServer } from '../console/seed.ts'
import { browser, openDesk, reader, story } from '../console/support/desk.ts'
import { type HostPage, openHostPage } from '../console/support/host-page.ts'
import { expectUsable, misfits } from '../console/support/layout.ts'
import { open } from '../console/support/navigate.ts'
import { NOT_IN_PORTAL, pagesOf, routesOfConsole } from '../console/support/pages.ts'
import { portalUrl } from '../console/support/portal-url.ts'
import { waitUntilLoaded } from '../console/support/sign-in.ts'
import { violations } from '../console/support/violations.ts'
import { visit } from '../console/support/visit.ts'

/* Visits every page with sample data. One browser visits all of them, so that leftovers of a page show on the next. */
let host: HostPage
let seed: SeededServer
/** The GraphQL requests of a page, without those of a frame in it. */
const queries: { readonly body: string; readonly at: number }[] = []

openDesk(async () => {
  host = await openHostPage()
  seed = await seedServer({ POSTHORN_PORTAL_ORIGINS: host.origin })
  return seed.server
})

beforeAll(async () => {
  reader.page.on('request', (request) => {
    const isOfPage = request.frame() === reader.page.mainFrame()
    if (!isOfPage || !request.url().endsWith('/graphql')) return
    queries.push({ body: request.postData() ?? '', at: performance.now() })
  })
  await reader.page.goto(`${seed.server.url}/console/event-types`)
  await waitUntilLoaded(reader.page)
})
afterAll(async () => {
  await host?.[Symbol.asyncDispose]()
})

story('the test covers every route', async () => {
  const covered = new Set(pagesOf(seed).map(({ route }) => route))
  expect([...covered].sort()).toEqual((await routesOfConsole()).sort())
})

const NAMES = pagesOf({ webhooks: {} } as SeededServer).map(({ name }) => name)

/** Screens, a tablet and a phone. 640 pixels are 200 % zoom in a window of 1,280. */
const WIDTHS = [1440, 1280, 1024, 768, 360]
/** `npm run test:long` tries more widths. */
if (process.env['POSTHORN_TEST_LONG']) WIDTHS.push(1020, 640)

/** Lists of events and of consumers refresh every 5 seconds, and other pages less often. */
const SHORTEST_REFRESH_MS = 4_000

story.each(NAMES)(
  '%s: accessible in both color schemes, fits every width, asks for nothing twice, goes live, and raises no error',
  async (name) => {
    const { page, pageErrors } = reader
    const before = pageErrors.length
    await page.setViewportSize({ width: 1440, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    queries.length = 0
    await open(page, `/console${pathOf(name)}`)
    expect(await page.title()).toMatch(/^.+ · Posthorn$/)
    expect.soft(repeatedQueries(), 'asked for twice').toEqual([])
    expect.soft(await violations(page), 'light, 1440 pixels').toEqual([])

    await page.emulateMedia({ colorScheme: 'dark' })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 740 })
      expect.soft(await misfits(page), `${width} pixels`).toEqual([])
    }
    expect.soft(await violations(page), 'dark, 360 pixels').toEqual([])
    await page.getByText('Connecting …').first().waitFor({ state: 'hidden' })
    expect(pageErrors.slice(before)).toEqual([])
  },
)

story('each dialog is accessible, and Escape closes it', async () => {
  const { page } = reader
  const webhook = `/webhooks/${seed.webhooks.boxOffice}`
  for (const [path, role, name] of [
    ['/events', 'button', 'Publish event'],
    [webhook, 'button', 'Send test event'],
    [webhook, 'button', 'Rotate secret'],
    ['/organizations', 'button', 'Create organization'],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 800 })
    await open(page, `/console${path}`)
    await page.getByRole(role, { name }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    await expectUsable(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  }
})

story('the sign-in page is accessible, with and without an error', async () => {
  await using visitor = await visit(browser, { origins: [seed.server.url] })
  visitor.expectPageErrors(/status of 401/)
  const { page } = visitor
  await page.goto(`${seed.server.url}/console`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await expectUsable(page)
  await page.getByLabel('API key', { exact: true }).fill('phk_wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await expectUsable(page)
})

const FRAME_WIDTH = 1_020
const SCOPES = [
  ...['webhooks', 'deliveries', 'secrets', 'events'].map((noun) => `${noun}:read`),
  ...['webhooks:write', 'deliveries:write'],
]

/** With its menu, the portal leaves less room to these lists and charts. */
const WIDEST = ['overview', 'webhooks', 'webhook', 'deliveries']

story.each([
  ['without a menu', '', () => true],
  ['with its header and menu', '&showHeader=true', (name: string) => WIDEST.includes(name)],
])('in a frame of a wide page, the portal %s fits the frame', async (_, options, isVisited) => {
  await using visitor = await visit(browser, {
    origins: [host.origin, seed.server.url],
    viewport: { width: 1440, height: 800 },
  })
  const url = `${await portalUrl(seed.server, { scopes: SCOPES })}${options}`
  await visitor.page.goto(host.framing(url, FRAME_WIDTH))
  await visitor.page.frameLocator('iframe').locator('#main h1').waitFor()
  const frame = visitor.page.frames().find((each) => each.url().includes('/portal')) as Frame
  expect(await frame.evaluate(() => innerWidth)).toBe(FRAME_WIDTH)
  for (const { name, path } of pagesOf(seed)) {
    if (NOT_IN_PORTAL.includes(name) || !isVisited(name)) continue
    await open(frame, `/portal${path}`)
    expect.soft(await misfits(frame), name).toEqual([])
  }
})

/** What was asked for twice at once. A slow page may be open for long enough to refresh what it shows. */
function repeatedQueries(): string[] {
  return queries
    .filter((query, index) =>
      queries
        .slice(0, index)
        .some(({ body, at }) => body === query.body && query.at - at < SHORTEST_REFRESH_MS),
    )
    .map(({ body }) => body)
}

function pathOf(name: string): string {
  return pagesOf(seed).find((each) => each.name === name)?.path ?? ''
}
