import type { Browser } from 'playwright-core'
import { inject, test } from 'vitest'
import { openBrowser } from '../browser.ts'

/** A test in a real browser. Without one it is skipped, as the setup of these tests says. */
export const story = test.skipIf(inject('chromium') === null)

/** The browser of a test file. */
export async function storyBrowser(): Promise<Browser> {
  return await openBrowser(inject('chromium') as string)
}
