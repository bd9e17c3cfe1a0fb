import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { SeededServer } from '../seed.ts'
import { story } from './desk.ts'
import { open } from './navigate.ts'
import { violations } from './violations.ts'
import type { Visit } from './visit.ts'

/** A dialog, the page with its button or link, and the name of that. */
const DIALOGS: readonly [
  what: string,
  path: (seed: SeededServer) => string,
  role: 'button' | 'link',
  name: string,
][] = [
  ['publishing an event', () => '/events', 'button', 'Publish event'],
  [
    'sending a test event',
    ({ webhooks }) => `/webhooks/${webhooks.boxOffice}`,
    'button',
    'Send test event',
  ],
  [
    'rotating a secret',
    ({ webhooks }) => `/webhooks/${webhooks.boxOffice}?tab=secret`,
    'button',
    'Rotate',
  ],
  ['disabling a webhook', ({ webhooks }) => `/webhooks/${webhooks.boxOffice}`, 'button', 'Disable'],
  ['creating an organization', () => '/organizations', 'link', 'Create organization'],
]

/** Opens each dialog in the browser of a test file. */
export function dialogStories(given: () => { seed: SeededServer; reader: Visit }): void {
  story.each(DIALOGS)(
    'the dialog for %s is accessible, and Escape closes it',
    async (_, path, role, name) => {
      const { seed, reader } = given()
      const { page, pageErrors } = reader
      const before = pageErrors.length
      await page.setViewportSize({ width: 1280, height: 800 })
      await open(page, `/console${path(seed)}`)
      await page.getByRole(role, { name }).click()
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      expect(pageErrors.slice(before)).toEqual([])
    },
  )
}

/** Checks in both color schemes, and on a small screen. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  expect.soft(await violations(page), 'light').toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 740 })
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
  expect.soft(await violations(page), 'dark, 360 pixels').toEqual([])
}
