import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type SeededServer, seedServer } from './seed.ts'
import { misfits } from './support/layout.ts'
import { pagesOf, routesOfConsole } from './support/pages.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { violations } from './support/violations.ts'
import { type Visit, visit } from './support/visit.ts'

/* Visits every page with sample data. One browser visits all of them, so that leftovers of a page show on the next. */
let browser: Browser
let seed: SeededServer
let reader: Visit
/** The GraphQL requests of a page, without those of a frame in it. */
const queries: string[] = []

beforeAll(async () => {
  browser = await storyBrowser()
  seed = await seedServer()
  reader = await visit(browser, { origins: [seed.server.url], signedInTo: seed.server })
  reader.page.on('request', (request) => {
    const isOfPage = request.frame() === reader.page.mainFrame()
    if (isOfPage && request.url().endsWith('/graphql')) queries.push(request.postData() ?? '')
  })
})
afterAll(async () => {
  await browser?.close()
  await seed?.[Symbol.asyncDispose]()
})

story('the test covers every route', async () => {
  const covered = new Set(pagesOf(seed).map(({ route }) => route))
  expect([...covered].sort()).toEqual((await routesOfConsole()).sort())
})

const NAMES = pagesOf({ webhooks: {} } as SeededServer).map(({ name }) => name)

/** `POSTHORN_TEST_LONG=1` tries all widths in both themes. */
const IS_LONG = Boolean(process.env['POSTHORN_TEST_LONG'])

/** A phone, 200 % zoom in a window of 1,280 pixels, a tablet, a frame in a host application, and screens. */
const WIDTHS = IS_LONG
  ? [1440, 1280, 1024, 1020, 900, 768, 640, 480, 360]
  : [1440, 1024, 1020, 768, 640, 360]

const THEMES = ['light', 'dark'] as const

/** These pages ask again every few seconds. */
const POLLING = ['jobs', 'receiver', 'explore']

story.each(NAMES)(
  '%s: accessible in both color schemes, fits every width, asks for nothing twice, and raises no error',
  async (name) => {
    const { page, pageErrors } = reader
    const before = pageErrors.length
    queries.length = 0
    await page.setViewportSize({ width: 1440, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(seed.server.url + addressOf(name))
    await waitUntilLoaded(page)
    expect(await page.title()).toMatch(/^.+ · Posthorn$/)
    const repeated = queries.filter((query, index) => queries.indexOf(query) !== index)
    if (!POLLING.includes(name)) expect.soft(repeated, 'asked for twice').toEqual([])
    expect.soft(await violations(page), 'light, 1440 pixels').toEqual([])

    for (const colorScheme of IS_LONG ? THEMES : [THEMES[1]]) {
      await page.emulateMedia({ colorScheme })
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 740 })
        expect.soft(await misfits(page), `${colorScheme}, ${width} pixels`).toEqual([])
        if (IS_LONG) expect.soft(await violations(page), `${colorScheme}, ${width}`).toEqual([])
      }
    }
    expect.soft(await violations(page), 'dark, 360 pixels').toEqual([])
    expect(pageErrors.slice(before)).toEqual([])
  },
)

function addressOf(name: string): string {
  const found = pagesOf(seed).find((each) => each.name === name)
  return `/console${found?.path}`
}
