import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type SeededServer, seedServer } from './seed.ts'
import { pagesOf, routesOfConsole } from './support/pages.ts'
import { waitUntilLoaded } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { violations } from './support/violations.ts'
import { type Visit, visit } from './support/visit.ts'

/* Visits every page with sample data. One browser visits all of them, so that leftovers of a page show on the next. */
let browser: Browser
let seed: SeededServer
let reader: Visit

beforeAll(async () => {
  browser = await storyBrowser()
  seed = await seedServer()
  reader = await visit(browser, { origins: [seed.server.url], signedInTo: seed.server })
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

story.each(NAMES)(
  '%s: accessible in both color schemes, fits 360 pixels, and raises no error',
  async (name) => {
    const { page, pageErrors } = reader
    const before = pageErrors.length
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(seed.server.url + addressOf(name))
    await waitUntilLoaded(page)
    expect(await page.title()).toMatch(/^.+ · Posthorn$/)
    expect.soft(await violations(page), 'light, 1280 pixels').toEqual([])

    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 360, height: 740 })
    await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
    expect.soft(await violations(page), 'dark, 360 pixels').toEqual([])
    expect(pageErrors.slice(before)).toEqual([])
  },
)

function addressOf(name: string): string {
  const found = pagesOf(seed).find((each) => each.name === name)
  return `/console${found?.path}`
}
