import type { AddressInfo } from 'node:net'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPages } from '../../site/pages/page.ts'
import { createDocsFiles } from '../../src/server/docs-files.ts'
import { findChromium, openBrowser, REMEDY } from '../console/browser.ts'
import { violations } from '../console/support/violations.ts'
import { leftOutFor } from '../support/left-out.ts'
import { builtSite, SITE } from './built-site.ts'

const FIRST_PAGE_BYTES = 100 * 1_024

const NARROW = { width: 360, height: 780 }
const WIDE = { width: 1440, height: 900 }

/** The rules about headings, links, pictures and tables. */
const OF_AUTHORS = [
  ...[
    'heading-order',
    'empty-heading',
    'link-name',
    'link-in-text-block',
    'image-alt',
    'svg-img-alt',
  ],
  ...['empty-table-header', 'td-headers-attr', 'duplicate-id-aria', 'scrollable-region-focusable'],
]

const chromium = findChromium()
const BROWSER = { ...leftOutFor(chromium === null ? REMEDY : null), ...SITE }

describe('in a browser', BROWSER, () => {
  let browser: Browser
  let server: ServerType
  let url: string

  beforeAll(async () => {
    const folder = await builtSite()
    server = createAdaptorServer(createDocsFiles(folder))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await openBrowser(chromium as string)
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
  })

  /** A page that reports what the browser refuses or misses, such as a script that the policy does not allow. */
  async function openPage(): Promise<Page & { readonly faults: string[] }> {
    const page = await browser.newPage({ viewport: WIDE, colorScheme: 'light' })
    const faults: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`${page.url()}: ${message.text()}`)
    })
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url())
      if (protocol !== 'data:' && origin !== url) faults.push(`${page.url()} asks ${origin}`)
    })
    return Object.assign(page, { faults })
  }

  test('the first page loads with at most 100 KB, all compressed', async () => {
    const page = await openPage()
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
    expect(page.faults).toEqual([])
    await page.close()
  })

  test('the search finds a page, and the keyboard alone opens it', async () => {
    const page = await openPage()
    await page.goto(`${url}/docs/`)
    await page.keyboard.press('Control+k')
    // As one input: the results of a part of the word would replace those that have the focus.
    await page.keyboard.insertText('retries')
    await page.locator('posthorn-search li a').first().waitFor()
    expect(await page.getByRole('status').textContent()).toMatch(/^\d+ pages?$/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/.+/)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('漢字')
    await page.getByText('Nothing found for “漢字”').waitFor()
    expect(await violations(page)).toEqual([])
    expect(page.faults).toEqual([])
    await page.close()
  })

  test('what authors write on each page is accessible, and fits a wide screen and a narrow one', async () => {
    const page = await openPage()
    const problems: string[] = []
    for (const { path: name } of readPages()) {
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
    expect(page.faults).toEqual([])
    await page.close()
  })

  // The frame, the menus and the colors are the same on all pages.
  test.each(['index', 'compare', 'guides/filters', 'reference/performance'])(
    'the page %s is accessible at each width, light and dark',
    async (name) => {
      const page = await openPage()
      for (const viewport of [NARROW, WIDE]) {
        await page.setViewportSize(viewport)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.goto(addressOf(name))
          expect(await violations(page)).toEqual([])
        }
      }
      await page.close()
    },
  )

  const addressOf = (name: string) => `${url}/docs/${name === 'index' ? '' : `${name}/`}`
})
