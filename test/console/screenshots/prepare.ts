import type { Page } from 'playwright-core'
import type { SeededServer } from '../seed.ts'

/** Steps to take before a screenshot, by the name of the page. */
const STEPS: Readonly<Record<string, (page: Page, seed: SeededServer) => Promise<void>>> = {
  async 'webhook-secret'(page) {
    await page.getByRole('button', { name: 'Show', exact: true }).first().click()
    await page
      .getByText(/^whsec_\w/)
      .first()
      .waitFor()
  },
  async recover(page) {
    await page.getByRole('button', { name: 'Last hour' }).click()
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /deliver|nothing/ })
      .waitFor()
  },
}

export async function prepare(page: Page, name: string, seed: SeededServer): Promise<void> {
  await STEPS[name]?.(page, seed)
}
