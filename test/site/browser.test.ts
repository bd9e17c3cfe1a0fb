import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPages } from '../../site/pages/page.ts'
import { createDocsFiles } from '../../src/server/docs-files.ts'
import { findChromium, openBrowser, REMEDY } from '../console/browser.ts'
import { violations } from '../console/support/violations.ts'
import { leftOutFor } from '../support/left-out.ts'
import { builtSite, ROOT, SITE } from './built-site.ts'

const FIRST_PAGE_BYTES = 100 * 1_024

const NARROW = { width: 360, height: 780 }
const WIDE = { width: 1440, height: 900 }

/** Ignored by Git. */
const PICTURES = path.join(ROOT, 'screenshots/docs')

const chromium = findChromium()
const BROWSER = { ...leftOutFor(chromium === null ? REMEDY : null), ...SITE }

describe('in a browser', BROWSER, () => {
  let browser: Browser
  let server: ServerType
  let url: string

  beforeAll(async () => {
    const folder = await builtSite()
    await mkdir(PICTURES, { recursive: true })
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

  test('a reader chooses dark, and the choice stays', async () => {
    const page = await openPage()
    await page.goto(`${url}/docs/`)
    const theme = () => page.evaluate(() => document.documentElement.dataset['theme'])
    expect(await theme()).toBe('light')
    await page.getByLabel('Select theme').first().selectOption('dark')
    await page.goto(`${url}/docs/guides/filters/`)
    expect(await theme()).toBe('dark')
    expect(page.faults).toEqual([])
    await page.close()
  })

  test.each([
    { part: 0, parts: 2 },
    { part: 1, parts: 2 },
  ])(
    'each page is accessible, and fits narrow and wide screens, light and dark ($part)',
    async ({ part, parts }) => {
      const page = await openPage()
      const problems: string[] = []
      const pages = readPages().filter((_, at) => at % parts === part)
      for (const { path: name } of pages) {
        await page.goto(`${url}/docs/${name === 'index' ? '' : `${name}/`}`)
        // The menus are the same on all pages: another test looks at them.
        for (const found of await violations(page, { within: 'main' })) {
          problems.push(`${name}: ${found}`)
        }
        problems.push(...(await looks(page, name, 'light')))
        await page.evaluate(() => {
          document.documentElement.dataset['theme'] = 'dark'
        })
        for (const found of await violations(page, { within: 'main', rules: ['color-contrast'] })) {
          problems.push(`${name}, dark: ${found}`)
        }
        problems.push(...(await looks(page, name, 'dark')))
      }
      expect(problems).toEqual([])
      expect(page.faults).toEqual([])
      await page.close()
    },
  )

  /** With POSTHORN_TEST_LONG, there is a picture of each look. */
  async function looks(page: Page, name: string, theme: string): Promise<string[]> {
    const problems: string[] = []
    for (const viewport of [NARROW, WIDE]) {
      await page.setViewportSize(viewport)
      const tooWide = await page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      )
      if (tooWide > 0) problems.push(`${name} at ${viewport.width}: ${tooWide} pixels too wide`)
      if (!process.env['POSTHORN_TEST_LONG']) continue
      const file = `${name.replaceAll('/', '-')}-${viewport.width}-${theme}.jpeg`
      await page.screenshot({ path: path.join(PICTURES, file), type: 'jpeg', quality: 60 })
    }
    return problems
  }

  test.each([NARROW, WIDE])(
    'the menus are accessible at $width pixels, light and dark',
    async (viewport) => {
      const page = await openPage()
      await page.setViewportSize(viewport)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.goto(`${url}/docs/guides/filters/`)
        expect(await violations(page)).toEqual([])
      }
      await page.close()
    },
  )

  test('a page that does not exist is accessible too', async () => {
    const page = await openPage()
    await page.goto(`${url}/docs/nothing/`)
    expect(await violations(page)).toEqual([])
    await page.close()
  })
})
