import type { Browser } from 'playwright-core'
import { inject, test } from 'vitest'
import { openBrowser } from '../browser.ts'

/** A test in a real browser. Skipped on a machine without one, as the setup reports. */
export const story = test.skipIf(inject('chromium') === null)

let shared: Promise<Browser> | undefined

/** The browser of this worker process. To close it closes the pages of the test file. */
export async function storyBrowser(): Promise<Browser> {
  if (!(await shared)?.isConnected()) shared = openBrowser(inject('chromium') as string)
  const browser = (await shared) as Browser
  browser.close = async () => {
    for (const context of browser.contexts()) await context.close()
  }
  return browser
}
