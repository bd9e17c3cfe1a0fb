import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Life, seedLife } from './seed.ts'
import { pagesOf, routesOfConsole } from './support/pages.ts'
import { settled } from './support/sign-in.ts'
import { story, storyBrowser } from './support/story.ts'
import { violations } from './support/violations.ts'
import { type Visit, visit } from './support/visit.ts'

/*
 * Every page with something to show: nothing goes wrong behind it, everybody can use it in both themes, and it fits a
 * small screen. One browser goes through all of them, so what one page leaves behind would be seen at the next.
 */
let browser: Browser
let life: Life
let reader: Visit

beforeAll(async () => {
  browser = await storyBrowser()
  life = await seedLife()
  reader = await visit(browser, { origins: [life.server.url], signedInTo: life.server })
})
afterAll(async () => {
  await browser?.close()
  await life?.[Symbol.asyncDispose]()
})

story('the pages below are all that there are', async () => {
  const covered = new Set(pagesOf(life).map(({ route }) => route))
  expect([...covered].sort()).toEqual((await routesOfConsole()).sort())
})

const NAMES = pagesOf({ webhooks: {} } as Life).map(({ name }) => name)

story.each(NAMES)(
  '%s: accessible in both themes, fits 360 pixels, and nothing fails',
  async (name) => {
    const { page, troubles } = reader
    const before = troubles.length
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto(life.server.url + addressOf(name))
    await settled(page)
    expect(await page.title()).toMatch(/^.+ · Posthorn$/)
    expect.soft(await violations(page), 'light, 1280 pixels').toEqual([])

    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 360, height: 740 })
    await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
    expect.soft(await violations(page), 'dark, 360 pixels').toEqual([])
    expect(troubles.slice(before)).toEqual([])
  },
)

function addressOf(name: string): string {
  const found = pagesOf(life).find((each) => each.name === name)
  return `/console${found?.path}`
}
