import { readFile } from 'node:fs/promises'
import type { Frame, Page } from 'playwright-core'
import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import { violations } from './violations.ts'

const program = await readFile(new URL('misfits.browser.js', import.meta.url), 'utf8')

/** What does not fit its box at the present width of a page, once the page has followed a change of its width. */
export async function misfits(page: Page | Frame): Promise<readonly string[]> {
  let found: string[] = []
  const look = async () => {
    found = await page.evaluate<string[]>(program)
    return found.length === 0
  }
  await until(look, 'everything fits', 2_000).catch(() => null)
  return found
}

/** The page fits a phone, a tablet and screens. */
export async function expectFits(page: Page): Promise<void> {
  for (const width of [360, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await misfits(page), `${width} pixels`).toEqual([])
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** The same, and the page is accessible in both color schemes. */
export async function expectUsable(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page), colorScheme).toEqual([])
  }
  await expectFits(page)
}
