import { readFile } from 'node:fs/promises'
import type { Frame, Page } from 'playwright-core'
import { until } from '../../support/until.ts'

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
