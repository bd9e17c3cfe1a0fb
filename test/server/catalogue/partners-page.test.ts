import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, openBrowser, REMEDY } from '../../console/browser.ts'
import { violations } from '../../console/support/violations.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { leftOutFor } from '../../support/left-out.ts'

/** Ignored by Git. */
const PICTURES = path.join(import.meta.dirname, '../../../screenshots/partners')

const chromium = findChromium()

describe(
  'the page for partners in a browser',
  leftOutFor(chromium === null ? REMEDY : null),
  () => {
    let browser: Browser
    let posthorn: TestApp

    beforeAll(async () => {
      posthorn = await startTestApp({
        role: 'api',
        environment: {
          POSTHORN_PUBLIC_CATALOGUE: 'true',
          POSTHORN_BRAND_NAME: 'Harvest Fair',
          POSTHORN_BRAND_COLOR: '#ffcc00',
          POSTHORN_BRAND_LOGO_FILE: 'src/console/public/posthorn.svg',
        },
      })
      await posthorn.database.pool.query(
        `insert into posthorn.event_types (name, description, schema) values ($1, $2, $3)`,
        [
          `long.${'x'.repeat(120)}`,
          `A description with ${'w'.repeat(300)}.`,
          JSON.stringify({ properties: { ['f'.repeat(150)]: { type: 'string' } } }),
        ],
      )
      browser = await openBrowser(chromium as string)
    })
    afterAll(async () => {
      await browser?.close()
      await posthorn?.[Symbol.asyncDispose]()
    })

    test.each([
      ['light', 360],
      ['light', 1440],
      ['dark', 360],
      ['dark', 1440],
    ] as const)(
      '%s at %i px: axe finds nothing, it fits, and asks no other origin',
      async (colorScheme, width) => {
        const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
        const faults: string[] = []
        page.on('console', (message) => {
          if (message.type() === 'error') faults.push(message.text())
        })
        page.on('request', (request) => {
          if (!request.url().startsWith(posthorn.app.url)) faults.push(request.url())
        })
        await page.goto(`${posthorn.app.url}/event-types`, { waitUntil: 'load' })
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        expect(await page.evaluate('document.querySelector(".logo").naturalWidth')).toBeGreaterThan(
          0,
        )
        expect(await violations(page)).toEqual([])
        expect(faults).toEqual([])
        await page.screenshot({ path: path.join(PICTURES, `${colorScheme}-${width}.png`) })
        await page.close()
      },
    )
  },
)
