import type { Page } from 'playwright-core'

/** Types a key into the form, and sends it. */
export async function giveKey(page: Page, token: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Waits until a page has its title and everything that it asked for. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#main h1').waitFor()
  for (const unfinished of UNFINISHED) {
    await page.locator(unfinished).first().waitFor({ state: 'detached' })
  }
}

const UNFINISHED = ['#main .ph-progress', '#main [aria-busy=true]', '#main .mantine-Skeleton-root']
