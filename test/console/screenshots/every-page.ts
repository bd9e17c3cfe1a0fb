import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import type { SeededServer } from '../seed.ts'
import { pagesOf } from '../support/pages.ts'
import { waitUntilLoaded } from '../support/sign-in.ts'
import { visit } from '../support/visit.ts'

const WIDTHS = [1440, 1024, 768, 360]

/** Takes each page at four widths in both themes, to look at: `overview-360-dark.png`. */
export async function takeEveryPage(
  browser: Browser,
  seed: SeededServer,
  folder: string,
): Promise<void> {
  const { server } = seed
  await mkdir(folder, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    const options = { colorScheme, signedInTo: server, origins: [server.url] }
    await using reader = await visit(browser, options)
    const { page } = reader
    for (const { name, path: at } of pagesOf(seed)) {
      await page.goto(`${server.url}/console${at}`)
      await waitUntilLoaded(page)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        await page.waitForTimeout(300)
        const file = path.join(folder, `${name}-${width}-${colorScheme}.png`)
        await page.screenshot({ path: file, fullPage: true })
      }
      console.log(`${name}, ${colorScheme}`)
    }
  }
}
