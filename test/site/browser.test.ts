import type { Server } from 'node:net'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPages } from '../../scripts/site/pages.ts'
import { createDocsFiles } from '../../src/server/docs-files.ts'
import { findChromium, openBrowser, REMEDY } from '../console/browser.ts'
import { violations } from '../console/support/violations.ts'
import { visit } from '../console/support/visit.ts'
import { leftOutFor } from '../support/left-out.ts'
import { listen } from '../support/listen.ts'
import { builtSite, SITE } from './built-site.ts'

const FIRST_PAGE_BYTES = 100 * 1_024

const NARROW = { width: 360, height: 780 }
const WIDE = { width: 1440, height: 900 }

/** The rules about headings, links, pictures and tables. */
const OF_AUTHORS = [
  ...['heading-order', 'empty-heading', 'link-name', 'link-in-text-block', 'image-alt'],
  ...['svg-img-alt', 'empty-table-header', 'td-headers-attr', 'duplicate-id-aria'],
  'scrollable-region-focusable',
]

/** What new users looked for, and the section that has the answer. */
const QUESTIONS = [
  ['embed portal', 'guides/portal/#3-put-the-element-on-your-page'],
  ['webhook disabled', 'guides/troubleshoot/#nothing-arrives'],
  ['publish in a transaction', 'guides/publish/#sql'],
  ['ERR_UNKNOWN_FILE_EXTENSION', 'guides/publish/#node'],
  ['npm package', 'start/your-application/#publish-an-event'],
  ['create webhook command', 'reference/cli/#posthorn-webhook-create'],
  ['startPosthorn', 'guides/test-your-receiver/#posthorn-in-your-own-process'],
  ['localhost', 'guides/test-your-receiver/#on-your-machine'],
  ['retry schedule', 'concepts/deliveries/#retries'],
  ['Standard Webhooks', 'concepts/signatures/#what-a-receiver-checks'],
] as const

const chromium = findChromium()
const BROWSER = { ...leftOutFor(chromium === null ? REMEDY : null), ...SITE }

describe('in a browser', BROWSER, () => {
  let browser: Browser
  let server: ServerType
  let url: string

  beforeAll(async () => {
    const folder = await builtSite()
    server = createAdaptorServer(createDocsFiles(folder))
    url = `http://127.0.0.1:${await listen(server as Server)}`
    browser = await openBrowser(chromium as string)
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })

  const open = () => visit(browser, { origins: [url], viewport: WIDE, colorScheme: 'light' })

  test('the first page loads with at most 100 KB, all compressed', async () => {
    await using visitor = await open()
    const { page } = visitor
    const loaded: Promise<readonly [string, number]>[] = []
    page.on('response', (response) => {
      const size = response.request().sizes()
      loaded.push(size.then(({ responseBodySize }) => [response.url(), responseBodySize]))
    })
    await page.goto(`${url}/docs/`, { waitUntil: 'networkidle' })
    const sizes = await Promise.all(loaded)
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0)
    console.log(`first page of the documentation: ${total} bytes in ${sizes.length} files`)
    expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(FIRST_PAGE_BYTES)
  })

  test('the search finds a page, and the keyboard alone opens it', async () => {
    await using visitor = await open()
    const { page } = visitor
    await page.goto(`${url}/docs/`)
    await search(page, 'retries')
    await page.locator('.pagefind-ui__message', { hasText: /^\d+ results for retries$/ }).waitFor()
    await page.locator('.pagefind-ui__result-link').first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/.+/)
    await search(page, '漢字')
    await page.locator('.pagefind-ui__message', { hasText: 'No results for 漢字' }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('each question of new users has its answer among the first results, two clicks away', async () => {
    await using visitor = await open()
    const { page } = visitor
    for (const [words, section] of QUESTIONS) {
      await page.goto(`${url}/docs/`)
      await search(page, words)
      await page
        .locator(`.pagefind-ui__result:nth-child(-n + 3) a[href="/docs/${section}"]`)
        .click()
      await page.waitForURL(`${url}/docs/${section}`)
    }
  })

  test('what authors write on each page is accessible, and fits a wide screen and a narrow one', async () => {
    await using visitor = await open()
    const { page } = visitor
    const problems: string[] = []
    for (const { path: name } of await readPages()) {
      await page.setViewportSize(WIDE)
      await page.goto(addressOf(name))
      for (const found of await violations(page, { within: 'main', rules: OF_AUTHORS })) {
        problems.push(`${name}: ${found}`)
      }
      for (const viewport of [WIDE, NARROW]) {
        await page.setViewportSize(viewport)
        const tooWide = await page.evaluate(
          () => document.documentElement.scrollWidth - window.innerWidth,
        )
        if (tooWide > 0) problems.push(`${name} at ${viewport.width}: ${tooWide} pixels too wide`)
      }
    }
    expect(problems).toEqual([])
  })

  // The frame, the menus and the colors are the same on all pages.
  test.each(['index', 'compare', 'guides/filters', 'operate/sizing'])(
    'the page %s is accessible at each width, light and dark',
    async (name) => {
      await using visitor = await open()
      const { page } = visitor
      for (const viewport of [NARROW, WIDE]) {
        await page.setViewportSize(viewport)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.goto(addressOf(name))
          expect(await violations(page)).toEqual([])
        }
      }
    },
  )

  async function search(page: Page, words: string): Promise<void> {
    // The program of the search is loaded when the page is idle.
    await page.locator('.pagefind-ui__search-input').waitFor({ state: 'attached' })
    await page.keyboard.press('Control+k')
    await page.locator('.pagefind-ui__search-input:focus').waitFor()
    // As one input: the results of a part of the words would replace those that have the focus.
    await page.keyboard.insertText(words)
  }

  const addressOf = (name: string) => `${url}/docs/${name === 'index' ? '' : `${name}/`}`
})
