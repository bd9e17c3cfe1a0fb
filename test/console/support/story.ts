import type { Browser } from 'playwright-core'
import { inject, test } from 'vitest'
import { openBrowser } from '../browser.ts'

/** A test in a real browser. Skipped on a machine without one, as the setup reports. */
export const story = test.skipIf(inject('chromium') === null)

/** The browser of a test file. */
export async function storyBrowser(): Promise<Browser> {
  return await openBrowser(inject('chromium') as string)
}
